"""Words for a time, as they stand in a question."""

import re
from collections.abc import Sequence

from longterm.text.references.edits import Edit, masked
from longterm.text.references.exchange import Exchange

TIME = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|(?:next|last|this) [^\W_]+|(?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day|(?:(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december) )?(?:19|20)\d\d|january|february|march|april|(?<=in )may|june|july|august"
    r"|september|october|november|december|the weekend)\b",
    re.IGNORECASE,
)
_LED = re.compile(r"\b(?:in|on|at|over|during)\s+$", re.IGNORECASE)
_THEN = re.compile(
    r"\b(?P<lead>since|by|until|before|after|back)?\s*\b(?P<then>then)(?=\s*[?.!]|\s*$)",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|did|had)\b", re.IGNORECASE)


def may_refer(query: str) -> bool:
    """Whether `query` has a "then" at its end."""
    return bool(_THEN.search(query))


def find(query: str, recent: Sequence[Exchange]) -> list[Edit]:
    """The "then" of `query` that means the one time of the last question, or of its answer."""
    text = masked(query)
    then = _THEN.search(text)
    if then is None or not (then["lead"] or _PAST.search(text)) or TIME.search(text):
        return []
    moment = _only_time(recent[-1].question) or _only_time(recent[-1].answer)
    if not moment:
        return []
    led, bare = moment
    is_exact = then["lead"] and then["lead"].lower() != "back"
    return [Edit(*then.span("then"), bare if is_exact else led)]


def _only_time(text: str) -> tuple[str, str] | None:
    """The only time of `text`, with its preposition and without."""
    text = text[:1_500]
    found = list(TIME.finditer(text))
    if len(found) != 1:
        return None
    led = _LED.search(text, max(found[0].start() - 12, 0), found[0].start())
    start = led.start() if led else found[0].start()
    return text[start : found[0].end()], found[0][0]
