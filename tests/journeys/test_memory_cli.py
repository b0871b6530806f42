"""`longterm recall`, `longterm hygiene` and `longterm rebuild`, as people use them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from longterm import Longterm
from longterm.cli import app


@pytest.fixture(scope="module")
def data_dir(
    tmp_path_factory: pytest.TempPathFactory, furnish: Callable[[Path], Path]
) -> Iterator[Path]:
    """A data folder with the memory of one user."""
    folder = furnish(tmp_path_factory.mktemp("cli") / "data")
    with Longterm(data_dir=folder) as lt:
        mem = lt.tenant(1)
        mem.add_message("ada", "user", "My name is Alex and I live in Rome.")
        mem.add_message("ada", "user", "We went hiking near Porto.")
        lt.drain()
        yield folder


def run(data_dir: Path, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, [*arguments, "--data-dir", str(data_dir)], input=typed)


def from_json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_recall_shows_the_text_and_the_reasons(data_dir: Path) -> None:
    shown = run(data_dir, "recall", "ada", "Where did I go hiking?")
    told = from_json(run(data_dir, "recall", "ada", "Where did I go hiking?", "--json"))

    assert shown.exit_code == 0
    assert "name: Alex" in shown.stdout
    assert "words: hike" in shown.stdout
    assert told["items"][0]["text"] == "We went hiking near Porto."
    assert told["text"].startswith("<longterm-memory>\n# What is known about the user")


def test_recall_of_a_stranger_says_that_there_is_nothing(data_dir: Path) -> None:
    assert "nothing in memory" in run(data_dir, "recall", "nobody", "Who am I?").stdout


def test_wrong_use_of_recall_is_a_sentence(data_dir: Path) -> None:
    result = run(data_dir, "recall", "ada", "x", "--kind", "thought")

    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_hygiene_tells_the_rates_with_the_ids(data_dir: Path) -> None:
    shown = run(data_dir, "hygiene", "--user", "ada")
    told = from_json(run(data_dir, "hygiene", "--user", "ada", "--json"))

    assert "2 facts hold now." in shown.stdout
    assert told["facts"] == 2
    assert set(told["rates"]) == set(told["ids"]) >= {"duplicate", "echo", "ungrounded"}


def test_a_rebuild_that_changes_nothing_asks_nothing(data_dir: Path) -> None:
    shown = run(data_dir, "rebuild", "--user", "ada")

    assert shown.exit_code == 0
    assert "0 added, 0 changed, 0 removed, 2 left as they are." in shown.stdout


def test_a_rebuild_shows_first_and_applies_when_told(data_dir: Path) -> None:
    with Longterm(data_dir=data_dir) as lt:
        # Said, and not learned from yet.
        lt.tenant(1).add_message("bob", "user", "I live in Oslo.")

    diff = from_json(run(data_dir, "rebuild", "--user", "bob", "--diff", "--json"))
    refused = run(data_dir, "rebuild", "--user", "bob", typed="n\n")
    applied = run(data_dir, "rebuild", "--user", "bob", "--yes")
    again = from_json(run(data_dir, "rebuild", "--user", "bob", "--diff", "--json"))

    assert [new["content"] for new in diff["added"]] == ["Oslo"]
    assert refused.exit_code == 1
    assert applied.exit_code == 0
    assert again["added"] == []


def test_the_trail_says_who_changed_what(data_dir: Path) -> None:
    shown = run(data_dir, "audit", "--user", "ada")
    told = from_json(run(data_dir, "audit", "--user", "ada", "--limit", "1", "--json"))

    (entry,) = told["items"]
    assert entry["user_id"] == "ada"
    assert entry["actor"] in ("user", "agent", "extractor", "api")
    assert shown.stdout.splitlines()[0].split()[:4] == ["at", "user", "actor", "action"]
