"""Templates: Jinja in a sandbox, where an unknown variable is an error and not a blank."""

from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from longterm.errors import TemplateError

MAX_RENDERED = 1_000_000


def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


def check(body: str) -> None:
    """Raise TemplateError when the body is not a template."""
    try:
        _environment().parse(body)
    except JinjaError as error:
        raise TemplateError(f"The template cannot be read: {error}.") from None


def render(body: str, variables: Mapping[str, Any]) -> str:
    """Fill a template in; raises TemplateError when it asks for what is not there."""
    try:
        return _bounded(_environment().from_string(body).generate(dict(variables)))
    except JinjaError as error:
        raise TemplateError(f"The template cannot be rendered: {error}.") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        # What the template's own expressions ran into, such as 1 / 0.
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
