"""A proposal: a fact that an extractor believes it found in a message."""

from dataclasses import dataclass
from typing import Literal

Category = Literal["identity", "preference", "constraint", "instruction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact that an extractor believes it found; a rule decides what becomes of it.

    `key` is canonical, in lower snake case. A person has one open value per category and key, so
    what there can be several of carries its object: `likes:hiking`, `allergy:peanuts`.
    `start` and `end` are the characters of the message that it rests on.
    """

    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    start: int
    end: int
    correction: bool = False
    ended: bool = False
