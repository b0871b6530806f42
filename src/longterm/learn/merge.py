"""Whether a new value takes the place of an old one: a rule decides, whoever proposed it."""

from dataclasses import dataclass
from typing import Literal

from longterm.records.fact import Fact, NewFact, Origin
from longterm.text import words

Action = Literal["insert", "replace", "confirm", "file", "ignore"]

# "My full name is Alexander" with .95 replaces "Alex" with 1.0; "call me Al" with .6 does not.
MARGIN = 0.1

# Words that a fact says nothing with. The user stands for whoever it is about.
_GLUE = frozenset(
    words.terms(
        "a an the to of in on at is are am be been i my me he his she her they their user users "
        "it its and that this"
    )
)

# What these say was meant to be kept; a guess from a message does not overrule it.
_DELIBERATE = ("person", "agent")
_GUESSES = ("model", "rules")


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a new value.

    insert: it is the first, or the first again. replace: it closes the open version.
    confirm: it says the same once more. file: it is older than what is known, and goes into the
    history. ignore: it is not kept.
    """

    action: Action
    reason: str


def decide(new: NewFact, latest: Fact | None) -> Decision:
    """Compare with the latest version of the same fact, open or closed."""
    if latest is None:
        return Decision("insert", "nothing was known")
    if latest.valid_to is not None:
        if new.said_at <= latest.valid_to:
            return Decision("ignore", "it was closed after this was said")
        return Decision("insert", "it was closed before this was said")
    # Without a key, the latest is the one with the same gist.
    if new.key is None or same(new.content, latest.content):
        return Decision("confirm", "it says the same")
    if new.said_at < latest.said_at:
        return Decision("file", "something newer is known")
    return _compare(new, latest)


def replaces(new: NewFact, before: NewFact) -> bool:
    """Whether a later statement takes the place of an earlier one, neither being stored."""
    return not same(new.content, before.content) and _compare(new, before).action == "replace"


def _compare(new: NewFact, latest: Fact | NewFact) -> Decision:
    if new.correction or new.origin in _DELIBERATE:
        return Decision("replace", "it corrects what was known")
    if latest.origin in _DELIBERATE and new.origin in _GUESSES:
        return Decision("ignore", "somebody set it on purpose")
    # Rounded: 1.0 - 0.1 is a little more than 0.9 in floating point.
    if round(new.confidence - latest.confidence + MARGIN, 9) >= 0:
        return Decision("replace", "it is newer and sure enough")
    return Decision("ignore", "it is less sure than what is known")


def is_deliberate(origin: Origin) -> bool:
    """Whether it was said in order to be kept."""
    return origin in _DELIBERATE


def same(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but case, blanks and punctuation."""
    return _plain(one) == _plain(other)


def gist(text: str) -> str:
    """What a text says, whatever form its words have; the text itself if it has none.

    "The user likes hiking in the mountains" and "likes to hike in mountains" are one fact. What
    denies, compares or counts stays, and so does the order: "tea over coffee" is another matter.
    """
    said = [word for word in words.terms(text) if word not in _GLUE]
    return " ".join(said) or text.strip()


def _plain(text: str) -> str:
    said = "".join(char if char.isalnum() else " " for char in text.casefold()).split()
    return " ".join(said) or text.strip()
