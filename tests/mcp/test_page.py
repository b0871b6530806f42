"""docs/mcp.md is true."""

from pathlib import Path

from longterm.mcp.prompts import PROMPTS
from longterm.mcp.resources import RESOURCES, TEMPLATES
from longterm.mcp.tools import TOOLS

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()


def test_everything_that_is_offered_is_on_the_page() -> None:
    fields = {f"`{field}`" for tool in TOOLS for field in tool.takes.model_fields}
    offered = {
        *(f"| `{tool.name}` |" for tool in TOOLS),
        *(f"| `{each.uri}` |" for each in RESOURCES),
        *(f"| `{each.uri_template}` |" for each in TEMPLATES),
        *(f"| prompt `{each.name}` |" for each in PROMPTS),
    }

    assert {each for each in offered if each not in PAGE} == set()
    assert {each for each in fields if each not in PAGE} == set()
