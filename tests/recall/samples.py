"""Questions and candidates for the tests of recall."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from longterm.recall.candidate import Candidate
from longterm.recall.fuse import fuse
from longterm.recall.question import Question, understand

# A Wednesday.
NOW = datetime(2023, 5, 17, 12, 0, tzinfo=UTC)


def asking(query: str, speakers: Collection[str] = ("Ana", "Ben")) -> Question:
    return understand(query, speakers=speakers, said_at=NOW, timezone="UTC")


def a_candidate(passage_id: int = 1, **changed: Any) -> Candidate:
    usual: dict[str, Any] = {
        "passage_id": passage_id,
        "conversation_id": f"conversation {passage_id}",
        "place": 1,
        "speaker": "Ana",
        "role": "user",
        "said_at": NOW,
        "text": "It rained.",
        "similarity": 0.3,
        "words": 0.0,
    }
    return Candidate(**(usual | changed))


def order(question: Question, *candidates: Candidate) -> list[int]:
    return [ranked.candidate.passage_id for ranked in fuse(question, candidates)]
