"""Every example runs as it stands, without a key, on an empty database, and is short."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ALL = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py"))

# What the output of an example must have in it: that it ran through tells little.
TELLS = {
    "adapters/anthropic_memory.py": "refused: Path /memories/../secrets would escape",
    "adapters/langchain_history.py": "home: Bonn",
    "adapters/langgraph_agent.py": "2 messages: I have noted about this: ",
    "adapters/llama_index_memory.py": "allergic to peanuts",
    "adapters/openai_agents_session.py": "I was shown 3 items.",
    "adapters/pydantic_ai_agent.py": "allergic to peanuts",
    "chat.py": "allergy: peanuts",
    "library.py": "home: Porto",
}

# Run where there is a server: tests/contract/test_client.py.
OF_A_SERVER = {"client.py"}


def test_there_are_examples() -> None:
    assert set(TELLS) <= set(ALL)


@pytest.mark.parametrize("name", [name for name in ALL if name not in OF_A_SERVER])
def test_an_example_runs_as_it_stands(name: str, new_database: Callable[[str], str]) -> None:
    # Not a server of its own for each of them: starting one takes longer than the example.
    environment = {**os.environ, "LONGTERM_DATABASE_URL": new_database("example")}

    ran = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert TELLS.get(name, "") in ran.stdout


@pytest.mark.parametrize("name", ALL)
def test_an_example_has_fewer_than_60_lines(name: str) -> None:
    assert len((EXAMPLES / name).read_text().splitlines()) < 60
