"""The README and the docs are true."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from longterm import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_an_example_of_the_readme_runs_as_it_stands(number: int, folder: Path) -> None:
    environment = {**os.environ, "LONGTERM_DATA_DIR": str(folder)}

    ran = subprocess.run(
        [sys.executable, "-c", PYTHON[number]],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "My name is Alex" in ran.stdout


TUTORIAL = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(), flags=re.DOTALL
)
TELLS = ("home Porto", "diet: vegetarian", "'drinks tea'")


@pytest.mark.parametrize("number", range(len(TUTORIAL)))
def test_a_step_of_the_tutorial_runs_as_it_stands(
    number: int, new_database: Callable[[str], str]
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", TUTORIAL[number]],
        env={**os.environ, "LONGTERM_DATABASE_URL": new_database("tutorial")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert TELLS[number] in ran.stdout


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()

    missing = [name for name in Settings.model_fields if f"LONGTERM_{name.upper()}`" not in page]

    assert missing == []


def test_every_link_of_the_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text())
        if "://" not in target
    ]

    broken = [(page.name, target) for page, target in links if not (page.parent / target).exists()]

    assert links
    assert broken == []
