"""docs/reference/cli.md."""

from collections.abc import Iterator
from typing import Any

from docs.generate.markdown import MADE, block, code, join, table, told

from longterm.cli import COMMANDS, load

ABOUT = """
Every command with its arguments and options, as `longterm COMMAND --help` tells them. What they have
in common is in [the command line](../cli.md).
"""


def page() -> str:
    """Every command."""
    parts = [part for name, command in _commands() for part in _command(name, command)]
    return join("# Commands", MADE, ABOUT, *parts)


def _commands() -> Iterator[tuple[str, Any]]:
    for name in COMMANDS:
        loaded = load(name)
        for part, inner in getattr(loaded, "commands", {"": loaded}).items():
            yield f"longterm {name} {part}".rstrip(), inner


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    words = [each.name.upper() if each.required else f"[{each.name.upper()}]" for each in arguments]
    yield f"## {name}"
    yield told(command.help)
    yield block(" ".join((name, *words, "[OPTIONS]")))
    yield table(("argument", "what"), [(code(each.name.upper()), each.help) for each in arguments])
    yield table(("option", "default", "what"), [_option(each) for each in options])
    lines = command.epilog.splitlines()
    yield block("\n".join(each.strip() for each in lines[lines.index("Examples:") + 1 :]))


def _option(option: Any) -> tuple[str, str, str]:
    names = ", ".join(code(name) for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {option.metavar or ''}".rstrip()
    return names + value, _default(option), option.help or ""


def _default(option: Any) -> str:
    shown = option.show_default
    if isinstance(shown, str):
        return code(shown)
    return "" if option.default in (None, False) or not shown else code(str(option.default))
