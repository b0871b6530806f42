"""The reference says what the code says."""

import pytest
from docs.generate import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_made_from_the_code_is_as_the_code_is_now(name: str) -> None:
    assert (FOLDER / name).read_text() == PAGES[name](), "out of date: run `make docs`"


def test_every_page_of_the_reference_is_made_from_the_code() -> None:
    found = {f"reference/{page.name}" for page in (FOLDER / "reference").iterdir()}

    assert found == {name for name in PAGES if name.startswith("reference/")}
