"""Templates: Jinja in a sandbox, where an unknown variable is an error and not a blank."""

from collections.abc import Mapping, Sized
from typing import Any, cast

from jinja2 import StrictUndefined
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from longterm.errors import TemplateError

MAX_RENDERED = 1_000_000

# What the expressions of a template run into, such as 1 / 0 or a macro that calls itself.
_OWN_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which no single expression can fill the memory."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Refuse products that are far larger than any prompt."""
        large = _power(left, right) if operator == "**" else _product(left, right)
        if large > MAX_RENDERED:
            raise OverflowError("a product as large as this")
        return super().call_binop(context, operator, left, right)


def _product(left: object, right: object) -> float:
    for many, times in ((left, right), (right, left)):
        if isinstance(many, str | bytes | list | tuple) and isinstance(times, int):
            return len(cast("Sized", many)) * times
    return 0


def _power(left: object, right: object) -> float:
    """About how many bits the result has."""
    if isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * right
    return 0


def _environment() -> _Environment:
    return _Environment(undefined=StrictUndefined, autoescape=False)


def check(body: str) -> None:
    """Raise TemplateError when the body is not a template."""
    try:
        _environment().from_string(body)
    except (JinjaError, SyntaxError, RecursionError, MemoryError) as error:
        raise TemplateError(f"The template cannot be read: {error or 'it is too deep'}.") from None


def render(body: str, variables: Mapping[str, Any]) -> str:
    """Fill a template in; raises TemplateError when it asks for what is not there."""
    try:
        return _bounded(_environment().from_string(body).generate(dict(variables)))
    except JinjaError as error:
        raise TemplateError(f"The template cannot be rendered: {error}.") from None
    except _OWN_FAULTS as error:
        raise TemplateError(
            f"The template cannot be rendered: {type(error).__name__}: {error}."
        ) from None


def _bounded(pieces: Any) -> str:
    rendered: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_RENDERED:
            raise TemplateError(
                f"The rendered template must have at most {MAX_RENDERED:,} characters."
            )
        rendered.append(piece)
    return "".join(rendered)
