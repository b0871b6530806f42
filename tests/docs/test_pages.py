"""Every code block of the documents runs as it stands, or says by its language that none can."""

import json
from collections.abc import Awaitable, Callable
from zipfile import ZipFile

import pytest

from tests.docs.blocks import PAGES, ROOT, RUN, SHOWN, blocks_of, runs
from tests.docs.conftest import NewReader
from tests.docs.reader import Reader
from tests.imports import samples

# Frameworks load once, and stay loaded.
pytestmark = pytest.mark.xdist_group("docs")

# Where more has to be there than an empty memory, and more has to come of it than output.
ELSEWHERE = {"docs/production.md": "tests/docs/test_production.py"}
HERE = [page for page in PAGES if runs(page) and page not in ELSEWHERE]

# What a page must print: that it ran through tells little.
TELLS = {
    "README.md": ("My name is Alex", "name: Alex, from message "),
    "docs/adapters.md": (
        "4 messages",
        "Drinks green tea in the morning",
        "My cat Tom broke the blue vase",
        "[\"I'm Ada\", 'Hello Ada.']",
        "[{'role': 'user', 'content': \"I'm Ada\"}]",
        "Green, no milk.",
    ),
    "docs/api.md": ('"turn_count":0', '"items":[]', "lt_"),
    "docs/client.md": ("My name is Alex", "this is what I remember"),
    "docs/library.md": (
        "1 message\n",
        "allergy:peanuts: peanuts",
        "[]\nrefused: ",
        "['Lisbon']\n['Porto']",
        "Peanuts.\nit was told so: True",
    ),
    "docs/mcp.md": ("remember\nrecall\n",),
    "docs/ownership.md": ('"what": "message"', "Forgotten at ", "Read as claude: 1 conversations"),
    "docs/tutorial.md": ("home Porto", "diet: vegetarian", "'drinks tea'"),
}


async def _files_and_words(reader: Reader) -> None:
    """Exports of other programs, and a conversation of Ada's."""
    with ZipFile(reader.shell.folder / "chatgpt-export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([samples.chatgpt()]))
    (reader.shell.folder / "conversations.json").write_text(json.dumps([samples.claude()]))
    message = await reader.memory.add_message("ada", "user", "My name is Ada")
    (said,) = await reader.memory.get_recent_messages("ada")
    reader.variables |= {"MESSAGE": str(message), "CONVERSATION": said.conversation_id}


async def _key_of_ada(reader: Reader) -> None:
    reader.key_of = ("user", "ada")


GIVEN: dict[str, Callable[[Reader], Awaitable[None]]] = {
    "docs/mcp.md": _key_of_ada,
    "docs/ownership.md": _files_and_words,
}


@pytest.mark.parametrize("page", HERE)
async def test_a_page_runs_from_top_to_bottom(page: str, new_reader: NewReader) -> None:
    async with new_reader() as reader:
        if page in GIVEN:
            await GIVEN[page](reader)

        said = await reader.follow(page)

    assert [told for told in TELLS.get(page, ()) if told not in said] == [], said


def test_every_block_is_of_a_language_that_is_run_or_only_shown() -> None:
    others = [
        block.place
        for page in PAGES
        for block in blocks_of(page)
        if block.language not in RUN | SHOWN
    ]

    assert others == []


def test_every_fence_belongs_to_a_block() -> None:
    """A block that is not found is not run either."""
    counted = {
        page: (ROOT / page).read_text().count("```") - 2 * len(blocks_of(page)) for page in PAGES
    }

    assert {page for page, left in counted.items() if left} == set()
    assert len(HERE) >= 10
