"""What was said lately."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of the user and the assistant's answer to it."""

    question: str
    answer: str
