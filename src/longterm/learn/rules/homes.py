"""Where the user lives, and where the user comes from."""

import re

from longterm.learn.rules.shapes import Rule, trim
from longterm.learn.rules.words import NOT_PLACES

AM = r"i(?:'m|m| am)"
ADVERBS = (
    r"(?: (?:do|currently|actually|now|still|also|just|originally|really|already|both|"
    r"mostly|mainly|"
    r"primarily|usually|recently|happily|permanently|fully|presently|only|always))*"
)
_PLACE_ENDS = re.compile(
    r"(?i)\s+(?:in (?:\d{4}|(?:early |late )?(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december)|the (?:spring|summer|fall|autumn|winter))|with|"
    r"and|but|or|so|because|since|where|which|while|for|until|at|as|on|during|when|"
    r"by|who|to|is|was|all|near my|close to my|right|just|together|alone|most of|part of|"
    r"full[- ]time|these|rn|atm|after|before|last|this|again|via|if|that|along|originally|"
    r"having|working|"
    r"doing|trying|looking|again|year|today|w|n|(?:an?|\d+|two|three|four|five|six|few|couple)"
    r" (?:few |of |couple )*(?:days?|weeks?|months?|years?|yrs?) ago|though|currently|now|about|permanently|not)\b.*"
)
_PASSING = re.compile(
    r"(?i)\b(?:for (?:now|the (?:summer|week|weekend|day|night|month|semester|next)|a (?:week|few|"
    r"couple|month|while)|this)|this (?:week|weekend|month|summer)|temporarily|until|till|tonight|"
    r"at the moment|for work this)\b"
)
_SMALL_PLACE = re.compile(
    r"(?:a|an|the)(?: [\w-]+){0,3} (?:town|village|city|suburb|suburbs|countryside|island|farm|"
    r"outskirts|north|south|east|west|coast|region|area|part|side|middle|heart)\b.*?"
    r"\b(?:in|near|outside|of|from|on|called)\b (?:(?:the|northern|southern|eastern|"
    r"western|rural) )*"
    r"[A-ZÀ-Þ]"
)
_MOST_PLACE_WORDS = 5


def places(captured: str) -> list[str]:
    """A town, region or country; not a mood, not a house, not for the weekend."""
    if _PASSING.search(captured):
        return []
    text = _strip_place(captured)
    words = text.split()
    if not words or len(words) > _MOST_PLACE_WORDS + 4:
        return []
    if _SMALL_PLACE.match(text):
        return [text]
    first = words[0].strip(",").casefold()
    if first == "the" and len(words) > 1 and (words[1][0].isupper() or words[1] in _LOWER_THE):
        return [text] if len(words) <= _MOST_PLACE_WORDS else []
    if first in NOT_PLACES or not first[0].isalpha() or len(words) > _MOST_PLACE_WORDS:
        return []
    if words[0][0].isupper():
        return [text]
    return [text] if len(words) <= 2 + text.count(",") or _UPPER.search(text) else []


_LOWER_THE = frozenset(
    ["uk", "us", "usa", "netherlands", "philippines", "bay", "midwest", "bronx", "uae"]
)
_UPPER = re.compile(r"[A-ZÀ-Þ]")


def _strip_place(captured: str) -> str:
    text = trim(_PLACE_ENDS.sub("", " " + trim(captured)))
    # "Neukölln, Berlin, third floor": what begins small after a capital is no place.
    return re.sub(r",\s+[^\WA-ZÀ-Þ].*", "", text) if text[:1].isupper() else text


RULES: list[Rule] = [
    Rule(
        rf"(?:i|we){ADVERBS} (?:live|reside){ADVERBS}(?: (?:here|over|out|alone|together|with"
        r" my \w+|"
        r"up|down|full[- ]time|in an? (?:[\w-]+ )?(?:flat|apartment|house|condo|studio|"
        r"cottage|loft|"
        r"dorm|room|bungalow|townhouse)))* (?:in|near|outside(?: of)?|just outside(?: of)?|"
        r"close to) (?P<v>.+)",
        "identity",
        "home",
        places,
        importance=0.8,
    ),
    Rule(
        rf"(?:{AM}|we're|we are){ADVERBS} (?:based|residing|located|settled) (?:in|out of|near)"
        r" (?P<v>.+)",
        "identity",
        "home",
        places,
        importance=0.8,
    ),
    Rule(
        rf"(?:{AM}|we're|we are){ADVERBS} living (?:in|near) (?P<v>.+)",
        "identity",
        "home",
        places,
        confidence=0.75,
        importance=0.8,
    ),
    Rule(
        r"(?:i|we)(?:'ve| have|ve) (?:always |been )?(?:lived|living) in (?P<v>.+?)(?: all my"
        r" life| my whole life|"
        r" my entire life| for (?:\w+ ){1,4}(?:years?|yrs?|months|now|decades?)| since .+| for"
        r" years)\b.*$",
        "identity",
        "home",
        places,
        confidence=0.8,
        importance=0.8,
    ),
    Rule(
        r"(?:i|we)(?:'ve| have|ve)?(?: (?:just|recently|finally|now|already|actually))*"
        r" (?:moved|relocated) "
        r"(?:(?:back|over|down|up|out|here) )?(?:from [\w ]{2,30}? )?to (?P<v>.+)",
        "identity",
        "home",
        places,
        confidence=0.8,
        importance=0.8,
    ),
    Rule(
        rf"(?:(?:{AM}|we're|we are){ADVERBS} an? (?:[\w'-]+ ){{1,3}}(?:living|based|residing)|"
        r"as (?:someone|somebody|a person) (?:who lives|living|based)) in (?P<v>.+)",
        "identity",
        "home",
        places,
        confidence=0.75,
        importance=0.8,
    ),
    Rule(rf"{AM}{ADVERBS} a resident of (?P<v>.+)", "identity", "home", places, importance=0.8),
    Rule(r"my home ?(?:town|city) is (?P<v>.+)", "identity", "hometown", places, importance=0.6),
    Rule(
        r"my (?:home|flat|apartment|house|place) is (?:now )?in (?P<v>.+)",
        "identity",
        "home",
        places,
        importance=0.8,
    ),
    Rule(
        rf"(?:{AM}{ADVERBS} from|i(?: originally)? (?:come|hail) from|i(?: was)? (?:grew up|raised) in|"
        r"i was born and raised in) (?P<v>.+)",
        "identity",
        "hometown",
        places,
        confidence=0.8,
    ),
    Rule(
        rf"{AM} (?-i:[A-ZÀ-Þ])[\w-]+(?:,)? from (?P<v>(?-i:[A-ZÀ-Þ]).+)",
        "identity",
        "hometown",
        places,
        confidence=0.75,
    ),
    Rule(
        r"i was born in (?!\d)(?!(?:the|a|an) )(?P<v>.+)",
        "identity",
        "birthplace",
        places,
        confidence=0.8,
    ),
]
