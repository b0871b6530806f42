"""What changed since somebody looked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A version of each kind of things of a user: another text when something changed.

    `learning` is how many messages are not learned from yet, `answering` are the messages whose
    answers are being made.
    """

    memory: str
    conversations: str
    places: str
    keyvalues: str
    learning: int
    answering: tuple[int, ...] = ()
