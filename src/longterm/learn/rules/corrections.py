"""Clauses that take something back, turned into what they are about."""

import re
from collections.abc import Iterator
from dataclasses import replace

from longterm.learn.rules.clauses import Clause, Sentence
from longterm.learn.rules.masking import MASK
from longterm.learn.rules.openers import strip_openers

_ANY_MORE = re.compile(r"(?i)[\s,]+(?:any ?more|any longer)\b.*$")
_NEGATION = re.compile(
    r"(?i)^(?P<subject>i|we|i'm|im|i am|my \w+(?: \w+)?(?: is| are)?)\s+(?:(?:really|also|"
    r"actually) )?(?:don't|do not|dont|not|no longer|isn't|am not|"
    r"aren't)(?:\s+really)?\s+(?P<rest>.+)$"
)
_ENDINGS = [
    (re.compile(r"(?i)^i\s+no longer\s+(?P<rest>.+)$"), "I "),
    (
        re.compile(
            r"(?i)^(?:i'm|im|i am)\s+no longer\s+(?:at|with|working (?:at|for))\s+(?P<rest>.+)$"
        ),
        "I work at ",
    ),
    (re.compile(r"(?i)^(?:i'm|im|i am)\s+no longer\s+(?P<rest>.+)$"), "I'm "),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently |finally )?(?:stopped|quit|given"
            r" up)\s+(?:being|be)\s+(?P<rest>.+)$"
        ),
        "I'm ",
    ),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently |finally )?(?:stopped|"
            r"quit)\s+using\s+(?P<rest>.+)$"
        ),
        "I use ",
    ),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently |finally )?(?:stopped|"
            r"quit)\s+working\s+(?:at|for)\s+(?P<rest>.+)$"
        ),
        "I work at ",
    ),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently |finally )?(?:quit|left|lost)\s+my\s+"
            r"(?:old\s+)?job\s+as\s+(?P<rest>an?\s.+)$"
        ),
        "I'm ",
    ),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently |finally )?(?:quit|left|"
            r"lost)\s+my\s+(?:old\s+)?(?:job|position|role)\s+(?:at|with)\s+(?P<rest>.+)$"
        ),
        "I work at ",
    ),
    (
        re.compile(
            r"(?i)^i(?:'ve| have)?\s+(?:just |recently )?(?:got|was|been)\s+(?:laid off|fired|let go)"
            r"\s+(?:from|by|at)\s+(?:my job at\s+)?(?P<rest>.+)$"
        ),
        "I work at ",
    ),
    (
        re.compile(
            r"(?i)^(?:please\s+)?forget\s+(?:what i said about|about me)\s+being\s+(?P<rest>.+)$"
        ),
        "I'm ",
    ),
    (
        re.compile(
            r"(?i)^(?:please\s+)?forget\s+(?:that|the fact that|what i said"
            r" about)\s+(?P<rest>(?:i|i'm|my)\b.+)$"
        ),
        "",
    ),
]
_LATE = re.compile(
    r"(?i)\s+(?:last|this|in (?:\d|january|february|march|april|may|june|july|august|"
    r"september|october|november|december)|a few|two|three|since|because|so|as of|"
    r"recently|after|yesterday)\b.*$"
)

_CONTRAST = re.compile(
    r"(?i)^(?P<head>(?:my [\w ]{2,20}?|i'm|im|i am|i|we)(?: is|'s| are| live| work|"
    r" am)?)\s+(?:isn't|not|aren't|is not)\s+(?:[^,]{1,40}?)(?:,?\s+but\s+(?:rather\s+)?|"
    r",\s+(?:it's|it is|they're|they are|but)\s+)(?P<rest>.+)$"
)
_CONTRAST_VERB = re.compile(
    r"(?i)^(?P<subject>i|we)\s+(?:don't|do not|dont)\s+(?P<verb>live|work|speak|like|"
    r"prefer|use|eat)\s+[^,]{1,40}?,?\s+but\s+(?:rather\s+)?(?P<rest>.+)$"
)
_INSTEAD = re.compile(r"(?i)(?:,|\s+and)\s+not\s+(?:in |at |for |an? )?[\w' -]{1,40}$")


def contrast(sentence: Sentence) -> Clause | None:
    """Read "not Berlin but Hamburg" as if only the second had been said."""
    text = " ".join(strip_openers(sentence.text).split()).rstrip(" .!")
    if sentence.asked or MASK in text:
        return None
    found = _CONTRAST.match(text)
    if found:
        said = f"{found['head']} {_be(found['head'])}{found['rest']}"
        return Clause(text=said, start=sentence.start, end=sentence.end, correction=True)
    found = _CONTRAST_VERB.match(text)
    if found:
        said = f"{found['subject']} {found['verb']} {found['rest']}"
        return Clause(text=said, start=sentence.start, end=sentence.end, correction=True)
    return None


def _be(head: str) -> str:
    named = head.lower().startswith("my ") and not re.search(r"(?i)(?: is|'s| are)$", head)
    return "is " if named else ""


def read(clause: Clause) -> Iterator[Clause]:
    """The clause itself, or what it says is over, or what it puts in another's place."""
    for pattern, lead in _ENDINGS:
        found = pattern.match(clause.text)
        if found:
            rest = _LATE.sub("", found["rest"]) if lead else found["rest"]
            yield replace(clause, text=lead + rest, ended=True, correction=True)
            return
    if _ANY_MORE.search(clause.text):
        negated = _NEGATION.match(_ANY_MORE.sub("", clause.text))
        if negated:
            place = re.match(r"(?i)(?:at|with)\s", negated["rest"])
            lead = "I work" if place else negated["subject"]
            text = f"{lead} {negated['rest']}"
            yield replace(clause, text=text, ended=True, correction=True)
        return
    if _INSTEAD.search(clause.text):
        yield replace(clause, text=_INSTEAD.sub("", clause.text), correction=True)
        return
    yield clause
