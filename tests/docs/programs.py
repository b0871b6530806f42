"""The programs that the documents call: done in this process, or checked where they would stay."""

import argparse
import asyncio
import logging
import re
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import chdir, contextmanager
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from longterm import Settings
from longterm.cli import COMMANDS, app
from longterm.errors import LongtermError
from tests.docs.blocks import ROOT
from tests.docs.shell import Call, Told
from tests.mcp.conftest import connected

# They run until they are told to stop, or for minutes: their words are checked, no more.
STAYING = frozenset({"serve", "worker", "chat", "mcp", "bench"})
SETTINGS = frozenset(f"LONGTERM_{name.upper()}" for name in Settings.model_fields)
TARGETS = frozenset(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def understood(args: Sequence[str]) -> None:
    """Have the command line read its arguments, without doing what they say."""
    # `--install-completion` would be done at once, to whoever runs the tests.
    assert args[0] in COMMANDS, f"there is no command {args[0]}"
    command: Any = get_command(app)
    context = command.make_context("longterm", list(args))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


def unknown_settings(env: Mapping[str, str]) -> set[str]:
    """The variables with our prefix that nobody reads."""
    return {name for name in env if name.startswith("LONGTERM_")} - SETTINGS


async def longterm(call: Call) -> Told:
    """Run a command; one that would stay only has to be understood."""
    if unknown := unknown_settings(call.env):
        return Told(2, err=f"There are no settings {unknown}.")
    if call.args[0] in COMMANDS.keys() - STAYING:
        return await asyncio.to_thread(_invoke, call)
    await asyncio.to_thread(understood, call.args)
    return Told()


def _invoke(call: Call) -> Told:
    ours = {k: v for k, v in call.env.items() if k.startswith(("LONGTERM_", "DATABASE_URL"))}
    with chdir(call.folder), _same_log():
        result = CliRunner().invoke(app, call.args, env=ours)
    # `longterm.cli.main` tells these as a sentence.
    told = str(result.exception) if isinstance(result.exception, LongtermError) else result.stderr
    if result.exception is not None and not isinstance(
        result.exception, LongtermError | SystemExit
    ):
        raise result.exception
    return Told(result.exit_code, result.stdout, told)


@contextmanager
def _same_log() -> Generator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = before
        root.setLevel(level)


async def make(call: Call) -> Told:
    """Look whether there is such a target, and such settings."""
    if unknown := unknown_settings(call.env):
        return Told(2, err=f"There are no settings {unknown}.")
    missing = {arg for arg in call.args if "=" not in arg} - TARGETS
    return Told(2, err=f"No rule to make {missing}.") if missing else Told()


async def pip(call: Call) -> Told:
    """Look whether what would be installed is ours, and has such extras."""
    action, *wanted = call.args
    found = [re.fullmatch(r"longterm(?:\[([\w,-]+)\])?", name) for name in wanted]
    extras = {extra for one in found if one and one[1] for extra in one[1].split(",")}
    good = action == "install" and all(found) and extras <= set(EXTRAS)
    return Told() if good else Told(1, err=f"pip can't {action} {wanted}.")


async def claude(call: Call) -> Told:
    """Add a server as Claude Code does: start it, or connect with it."""
    if "--" in call.args:
        name, *rest = call.args[call.args.index("--") + 1 :]
        return await longterm(Call(name=name, args=rest, env=call.env, folder=call.folder))
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs=4)
    parser.add_argument("--transport", choices=["http"], required=True)
    parser.add_argument("--header", action="append", default=[])
    given = parser.parse_intermixed_args(call.args)
    headers = dict(header.split(": ", 1) for header in given.header)
    return Told(out=await tools_at(given.words[-1], headers))


async def tools_at(url: str, headers: Mapping[str, str]) -> str:
    """Connect with an MCP server, and return the names of its tools."""
    assert url.endswith("/mcp")
    async with connected(url.removesuffix("/mcp"), **headers) as client:
        return "\n".join(tool.name for tool in (await client.list_tools()).tools)


PROGRAMS = {"claude": claude, "longterm": longterm, "make": make, "pip": pip}
