"""Templates: Jinja in a sandbox, where an unknown variable is an error and not a blank.

Jinja's sandbox keeps a template from Python's internals, but not from a loop without end or a
text of a gigabyte. So this module is also a program, which renders in a process of its own, with
limits that the operating system keeps: `memory/template_renderer.py` starts it.
"""

import io
import pickle
import signal
import sys
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from jinja2 import StrictUndefined
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from longterm.errors import TemplateError

MAX_RENDERED = 1_000_000
MAX_MEMORY_BYTES = 256 * 1024 * 1024
MAX_CPU_S = 0.5
LENGTH_BYTES = 8

# The modules whose values can be variables.
_PLAIN = (
    "builtins",
    "collections",
    "copyreg",
    "datetime",
    "decimal",
    "longterm",
    "uuid",
    "zoneinfo",
)

# What the expressions of a template run into, such as 1 / 0 or a macro that calls itself.
_OWN_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def check(body: str) -> None:
    """Raise TemplateError when the body is not a template."""
    try:
        _environment().from_string(body)
    except (JinjaError, SyntaxError, RecursionError, *_OWN_FAULTS) as error:
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


def _environment() -> ImmutableSandboxedEnvironment:
    # Not optimised: the optimiser evaluates constant expressions while a template is only read.
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, optimized=False
    )


def _bounded(pieces: Iterable[str]) -> str:
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


def main() -> None:
    """Answer requests from standard input until it ends, one after the other.

    A request is a length and a pickled (body, variables), or (body, None) to check a template. An
    answer is a length and a text, which begins with "+", or with "-" where it is an error. Beyond
    its limits the process ends.
    """
    _limit_memory()
    while header := sys.stdin.buffer.read(LENGTH_BYTES):
        request = sys.stdin.buffer.read(int.from_bytes(header))
        _set_cpu_limit(MAX_CPU_S)
        answer = _answer(request).encode("utf-8", "surrogatepass")
        _set_cpu_limit(0)
        _write(sys.stdout.buffer, answer)


class _Request(pickle.Unpickler):
    """Reads a request; the classes of an application are not known here, and not loaded."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] in _PLAIN:
            return super().find_class(module, name)
        raise TemplateError(
            "The template cannot be rendered: variables must be plain values (text, numbers, "
            f"lists, mappings, dates), not {module}.{name}."
        )


def _answer(request: bytes) -> str:
    try:
        body, variables = _Request(io.BytesIO(request)).load()
        if variables is None:
            check(body)
            return "+"
        return f"+{render(body, variables)}"
    except TemplateError as error:
        return f"-{error}"


def _write(stream: BinaryIO, answer: bytes) -> None:
    stream.write(len(answer).to_bytes(LENGTH_BYTES) + answer)
    stream.flush()


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - Windows has no such module

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _set_cpu_limit(seconds: float) -> None:
    """End the process by a signal after so much processor time, whatever it does; 0 is never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
