"""What the documents say beside their code blocks is true, too: names, commands, links."""

import re
import shlex

import pytest

from longterm import Settings
from longterm.api.app import create_app
from longterm.runtime import Runtime
from tests.docs.blocks import PAGES, ROOT
from tests.docs.programs import EXTRAS, SETTINGS, TARGETS, understood
from tests.journeys.test_cli import ALL as COMMANDS

_PROGRAM = re.compile(r"(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(longterm|make) ([a-z].*)")
TEXTS = {
    page: re.sub(r"^ *```.*?^ *```$", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    for page in PAGES
}


def commands(page: str, program: str) -> list[list[str]]:
    """What a page says to type, inside of its sentences and tables."""
    spans = re.findall(r"`([^`\n]+)`", TEXTS[page])
    found = [_PROGRAM.fullmatch(span) for span in spans]
    return [shlex.split(each[2]) for each in found if each and each[1] == program]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_in_a_sentence_is_one_of_ours(page: str) -> None:
    # The bare name of a command stands for it, also where it needs more words to be run.
    groups = {name.split()[0] for name in COMMANDS}
    for words in commands(page, "longterm"):
        if " ".join(words) not in COMMANDS.keys() | groups:
            understood(words)
    for words in commands(page, "make"):
        assert {word for word in words if "=" not in word} <= TARGETS


def test_commands_are_found() -> None:
    assert ["keys", "create", "NAME", "--scope", "app"] in commands("README.md", "longterm")
    assert ["run"] in commands("README.md", "make")


@pytest.mark.parametrize("page", PAGES)
def test_every_variable_of_a_page_is_a_setting(page: str) -> None:
    assert set(re.findall(r"\bLONGTERM_[A-Z_]+\b", TEXTS[page])) <= SETTINGS


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = set(re.findall(r"`(?:tests/)?([\w/]*test_\w+\.py|(?<=tests/)[\w/]+)`", TEXTS[page]))

    assert [name for name in named if not list(ROOT.glob(f"tests/**/{name}"))] == []


def test_every_route_is_on_its_page_and_every_route_of_the_page_is_there() -> None:
    described = create_app(Runtime(Settings(database_url="unused"))).openapi()["paths"]
    # Pages, their files, and what describes itself are not in the description.
    beside = {"GET /", "GET /static/{}/{}", "GET /status", "GET /openapi.json", "POST /mcp"}
    there = {f"{method.upper()} {path}" for path, found in described.items() for method in found}
    told = {
        f"{method} {path.partition('?')[0]}"
        for methods, path in re.findall(r"`((?:[A-Z]+ )+)(/[^`]*)`", TEXTS["docs/api.md"])
        for method in methods.split()
    }

    assert {re.sub(r"{\w+}", "{}", each) for each in told} - beside == {
        re.sub(r"{\w+}", "{}", each) for each in there
    }


def test_every_extra_is_one_of_ours() -> None:
    pages = "".join((ROOT / page).read_text() for page in PAGES)
    named = set(re.findall(r"'longterm\[([\w-]+)\]'", pages))

    assert named == set(EXTRAS)


def test_every_link_of_the_documents_leads_somewhere() -> None:
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)\)", TEXTS[page])
        if "://" not in target
    ]

    broken = [
        (page, target) for page, target in links if not ((ROOT / page).parent / target).exists()
    ]

    assert links
    assert broken == []


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = TEXTS["docs/README.md"]
    pages = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}

    assert {page for page in pages - {"README.md"} if f"]({page})" not in contents} == set()
