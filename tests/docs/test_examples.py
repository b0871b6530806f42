"""Every example runs as it stands, without a key, on an empty database, and is short."""

from pathlib import Path

import pytest

from tests.docs.conftest import NewReader

pytestmark = pytest.mark.xdist_group("docs")

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = {
    str(one.relative_to(EXAMPLES)): one.read_text()
    for one in EXAMPLES.rglob("*")
    if one.suffix in {".py", ".sh"}
}
ALL = sorted(PROGRAMS)

# What the output of an example must have in it: that it ran through tells little.
TELLS = {
    "adapters/anthropic_memory.py": "refused: Path /memories/../secrets would escape",
    "adapters/langchain_history.py": "home: Bonn",
    "adapters/langgraph_agent.py": "2 messages: I have noted about this: ",
    "adapters/llama_index_memory.py": "allergic to peanuts",
    "adapters/openai_agents_session.py": "I was shown 3 items.",
    "adapters/pydantic_ai_agent.py": "allergic to peanuts",
    "chat.py": "allergy: peanuts",
    "client.py": "forgotten: 3 messages",
    "command_line.sh": "allergic to peanuts",
    "library.py": "home: Porto",
    "mcp_client.py": "- Ada is allergic to peanuts",
    "openai_proxy.py": "allergic to peanuts",
    "over_http.py": "allergy: peanuts",
}


def test_there_is_an_example_for_every_door() -> None:
    assert set(TELLS) <= set(ALL)


@pytest.mark.parametrize("name", ALL)
async def test_an_example_runs_as_it_stands(name: str, new_reader: NewReader) -> None:
    program = PROGRAMS[name]
    # Who talks to a server has its worker learn; the others do it themselves.
    async with new_reader(worker="127.0.0.1:8765" in program) as reader:
        said = await reader.run(name, program)

    assert TELLS.get(name, "") in said


@pytest.mark.parametrize("name", ALL)
def test_an_example_has_fewer_than_60_lines(name: str) -> None:
    assert len(PROGRAMS[name].splitlines()) < 60
