"""The tab key: commands, options and values are completed, though commands load when called."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longterm.cli import COMMANDS, app
from tests.journeys.programs import clean_environment
from tests.journeys.test_cli import ALL

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def completed(shell: str, line: str) -> str:
    """What a shell is told about a line that ends at the cursor."""
    told = {
        "_LONGTERM_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    result = CliRunner().invoke(app, [], env=told, prog_name="longterm")
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_completes_commands_options_and_values(shell: str) -> None:
    commands = completed(shell, "longterm ")

    assert all(name in commands for name in COMMANDS)
    assert "retry" in completed(shell, "longterm jobs ")
    assert "--tenant" in completed(shell, "longterm mcp --")
    assert "--state" in completed(shell, "longterm jobs list --st")
    assert "admin" in completed(shell, "longterm keys create --scope ")


def test_completing_a_command_loads_none() -> None:
    script = """
import os, sys
os.environ |= {"_LONGTERM_COMPLETE": "complete_bash", "COMP_WORDS": "longterm s", "COMP_CWORD": "1"}
from longterm.cli import main
try:
    main()
finally:
    print([name for name in ("psycopg", "fastapi", "longterm.cli.serve") if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines() == ["serve", "[]"]


def test_bash_itself_completes(tmp_path: Path) -> None:
    """The script as it is shown, in a real shell."""
    program = tmp_path / "longterm"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m longterm "$@"\n')
    program.chmod(0o755)
    script = """
        eval "$(longterm --show-completion)"
        COMP_WORDS=(longterm jobs re); COMP_CWORD=2
        _longterm_completion longterm
        echo "${COMPREPLY[@]}"
        complete -p longterm
    """
    path = f"{tmp_path}:{clean_environment()['PATH']}"
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(PATH=path),
    )

    assert ran.stdout.splitlines() == [
        "retry",
        "complete -o default -F _longterm_completion longterm",
    ]


@pytest.mark.parametrize("name", ALL)
def test_every_command_is_on_its_page(name: str) -> None:
    about = ALL[name].help.split("\n")[0]

    assert f"| `longterm {name}` | {about} |" in PAGE
