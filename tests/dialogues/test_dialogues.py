"""b5, b6: references and clarification on dialogues of writers who do not know the rules."""

from collections import Counter
from pathlib import Path

import pytest

from tests.dialogues.evaluation import FILES, judge_clarification, judge_reference, rows


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_references_are_resolved_rightly_and_seldom_wrongly(file: Path) -> None:
    found = Counter(map(judge_reference, rows(file, "A")))
    needing = found.total() - found["alone"]

    assert found["right"] >= 0.8 * needing, found
    assert found["wrong"] <= 0.02 * found.total(), found


def test_which_one_is_asked_where_the_question_has_several_answers() -> None:
    found = Counter(judge_clarification(row) for file in FILES for row in rows(file, "B"))
    asked = found["picked"] + found["asked"]

    assert asked >= 0.75 * (asked + found["missed"]), found
    assert found["needless"] <= (found["needless"] + found["plain"]) / 60, found
    assert found["picked"] >= 0.9 * asked, found
