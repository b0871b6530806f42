"""Figures of reference resolution and clarification on a file of dialogues.

    python -m tests.dialogues.evaluation FILE ...

Part A of a file has dialogues with a query: `must` are groups of words of which the resolved
query has one each, `must_not` are words that it must not add. Part B has what a user said, a
question, whether that is ambiguous, and a reply to "which one?" with the option that it means.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from longterm.chat import clarify
from longterm.records.fact import Fact
from longterm.text import choices, references
from longterm.text.choices import Choice
from longterm.text.references import Exchange

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


def rows(file: Path, part: str) -> Iterator[dict[str, Any]]:
    """The rows of one part."""
    with file.open(encoding="utf-8") as lines:
        yield from (row for row in map(json.loads, lines) if row["part"] == part)


def exchanges(turns: Sequence[Mapping[str, str]]) -> list[Exchange]:
    """Turns as pairs of question and answer."""
    found: list[Exchange] = []
    question = ""
    for turn in turns:
        if turn["role"] == "user":
            question = turn["text"]
        else:
            found.append(Exchange(question, turn["text"]))
            question = ""
    return [*found, Exchange(question, "")] if question else found


def judge_reference(row: Mapping[str, Any]) -> str:
    """`right`, `wrong`, `unresolved` or `extra` (resolved, but with a word it must not have).

    A query that stands alone is `alone`, or `wrong` if it was changed.
    """
    found = references.resolve(row["query"], exchanges(row["turns"]))
    if not row["needs_context"]:
        return "wrong" if found.changed else "alone"
    text, asked = found.query.lower(), row["query"].lower()
    has_all = all(any(word.lower() in text for word in group) for group in row["must"])
    if not has_all:
        return "wrong" if found.changed else "unresolved"
    extra = [word for word in row["must_not"] if word.lower() in text and word.lower() not in asked]
    return "extra" if extra else "right"


def judge_clarification(row: Mapping[str, Any]) -> str:
    """`picked`, `asked` (the reply picks no or the wrong option), `missed`; `needless`, `plain`."""
    offered = clarify.options(row["query"], [fact(text) for text in row["memory"]], [])
    if not row["ambiguous"]:
        return "needless" if offered else "plain"
    if not offered:
        return "missed"
    picked = choices.pick(row["reply"], offered)
    meant = row["options"][row["means"]]
    is_right = isinstance(picked, Choice) and any(
        word.lower() in picked.label.lower() for word in meant
    )
    return "picked" if is_right else "asked"


def fact(text: str) -> Fact:
    """A fact in the user's own words."""
    now = datetime.now(UTC)
    return Fact(
        id=text, version=1, tenant_id=1, user_id="ada", type="fact", category=None, key=None,
        content=text, confidence=1, importance=0.5, pinned=False, archived=False, origin="person",
        said_at=now, recorded_at=now, valid_from=now, valid_to=None, closed=None, said_count=1,
        source_conversation_id=None, source_message_id=None, span_start=None, span_end=None,
        extractor=None, tokens=1, access_count=0, last_accessed_at=None,
    )  # fmt: skip


def main(files: Sequence[Path]) -> None:
    """Print the figures of each file, and the rows that went wrong."""
    for file in files:
        for part, judge in (("A", judge_reference), ("B", judge_clarification)):
            verdicts = [(judge(row), row) for row in rows(file, part)]
            print(file.stem, part, dict(Counter(verdict for verdict, _ in verdicts)))  # noqa: T201
            for verdict, row in verdicts:
                if verdict not in ("right", "alone", "picked", "plain"):
                    print(f"  {verdict}: {row['id']} {row['query']}")  # noqa: T201


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or FILES)
