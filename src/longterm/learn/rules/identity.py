"""Who the user is: names, pronouns, home, languages, dates that matter."""

import re
from collections.abc import Iterator

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.shapes import apply, capitalised, propose, rule, several, slug, trim
from longterm.learn.rules.words import FIRST_NAMES, LANGUAGE, NOT_NAMES, NOT_PLACES
from longterm.records.proposal import Proposal

AM = r"i(?:'m|m| am)"
ADVERBS = (
    r"(?: (?:do|currently|actually|now|still|also|just|originally|really|already|both|"
    r"mostly|mainly|"
    r"primarily|usually|recently|happily|permanently|fully|presently|only|always))*"
)
_NAME_ENDS = re.compile(
    r"(?i)\s+(?:and|but|from|with|by the way|btw|or|so|because|in|at|since|not)\b.*|,.*"
)
_LONGEST_NAME = 4


def names(captured: str) -> list[str]:
    """A name after words that announce one, so it may be in lower case."""
    text = trim(captured)
    first = text.split(" ", 1)[0].strip(",.'").casefold()
    if not text or first in NOT_NAMES or not first.replace("-", "").replace("'", "").isalpha():
        titled = re.match(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? [A-Z][\w-]+", text)
        return [titled[0]] if titled else []
    proper = capitalised(text, _LONGEST_NAME)
    if proper:
        return [proper]
    lower = _NAME_ENDS.sub("", text)
    return [lower] if len(lower.split()) <= 2 and not _VERBISH.search(lower) else []


_VERBISH = re.compile(r"(?i)\w(?:ing|ed|ly)\b|\b(?:the|a|an|to|of|is|when|if|it)\b")


def nicknames(captured: str) -> list[str]:
    """How to be called: a name in capitals, or one plain word that ends the clause."""
    text = trim(captured)
    first = text.split(" ", 1)[0].strip(",.'").casefold()
    if _PRONOUNS.match(text) or "/" in first:
        return []
    if first in NOT_NAMES and not re.match(r"(?:Dr|Mr|Mrs|Ms|Captain|Sir)\.? [A-Z]", text):
        return []
    proper = capitalised(text, _LONGEST_NAME)
    if proper:
        return [proper]
    lower = _NAME_ENDS.sub("", text)
    return [lower] if lower.isalpha() and not _VERBISH.search(lower) else []


_PRONOUNS = re.compile(
    r"(?i)(?:she|he|they|it|xe|ze|ey|fae)\s?/\s?\w+(?:\s?/\s?\w+)?|any pronouns|they(?= pronouns)"
)


def pronouns(captured: str) -> list[str]:
    """A set of pronouns such as they/them."""
    found = _PRONOUNS.match(captured)
    return [found[0]] if found else []


_PLACE_ENDS = re.compile(
    r"(?i)\s+(?:in (?:\d{4}|(?:early |late )?(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december)|the (?:spring|summer|fall|autumn|winter))|with|"
    r"and|but|or|so|because|since|where|which|while|for|until|at|as|on|during|when|"
    r"by|who|to|is|was|all|near my|close to my|right|just|together|alone|most of|part of|"
    r"full[- ]time|these|rn|atm|after|before|last|this|again|via|if|that|along|originally|"
    r"having|working|"
    r"doing|trying|looking|again|year|though|currently|now|about|permanently|not)\b.*"
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
    return trim(_PLACE_ENDS.sub("", " " + trim(captured)))


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|"
    r"juli|oktober|dezember)"
)
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th|\.)?)"
_YEAR = r"(?:,? (?:19|20)\d\d)?"
DATE = (
    rf"(?:(?:the )?{_DAY} (?:of )?{_MONTH}\.?{_YEAR}|{_MONTH}\.? (?:the )?{_DAY}{_YEAR}|"
    rf"\d{{1,4}}[./-]\d{{1,2}}(?:[./-]\d{{2,4}})?)(?![\w/])"
)
_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|mother|mom|mum|father|dad|"
    r"brother|sister|best friend)"
)
_ON = r"(?: on| is on| is|'s|:| falls on| is always)*"

_RULES = [
    rule(
        r"(?:(?:my|the) )?(?:(?:full|real|first|given|legal|actual|proper|complete)"
        r" )?name(?:'s| is|s|:| ist)"
        r"(?: actually| really| now| still)?:? (?P<v>.+)",
        "identity",
        "name",
        names,
        importance=0.95,
    ),
    rule(
        r"my (?:last name|family name|surname)(?:'s| is) (?P<v>.+)", "identity", "last_name", names
    ),
    rule(
        r"(?:you (?:can|may|could|should|guys can|are welcome to) (?:just |also |simply |"
        r"always )?|"
        r"please (?:just |always )?|just |(?:my )?(?:friends|family|colleagues|people|folks|"
        r"most folks)"
        r"(?: usually| all| mostly| just)? |(?:everyone|everybody)(?: just| usually)? |"
        r"i(?:'d| would) (?:prefer|like|rather|love)(?: it)?(?: if| for| that)? ?(?:you )?(?:to )?|"
        r"i (?:want|prefer)(?: you)? to be |i want you to |i like to be |i prefer |"
        r"from now on,? (?:please )?(?:just )?|always |most people )?"
        r"(?:calls?(?= me)|called|addressed as|address(?= me as)|refer to(?= me as)|being"
        r" called|be called|be addressed as|to be called)"
        r"(?: me(?: as)?)? (?P<v>.+)",
        "identity",
        "nickname",
        nicknames,
        importance=0.9,
    ),
    rule(
        r"i(?: usually| just| also| mostly)* go by (?:the name )?(?P<v>.+)",
        "identity",
        "nickname",
        nicknames,
        importance=0.9,
    ),
    rule(rf"{AM} called (?P<v>.+)", "identity", "name", names, importance=0.95),
    rule(
        r"i(?:'ve| have)?(?: (?:just|recently|legally))* changed my (?:first )?name to"
        r" (?P<v>.+)",
        "identity",
        "name",
        names,
        importance=0.95,
    ),
    rule(r"my nickname(?:'s| is) (?P<v>.+)", "identity", "nickname", nicknames, importance=0.9),
    rule(
        r"(?:my (?:preferred )?pronouns(?: are|:| =)?|i (?:use|go by|prefer)(?: the)?(?:"
        r" pronouns)?|"
        r"please use|use|pronouns(?: are|:)?) (?P<v>(?:she|he|they|it|xe|ze|ey|fae)\s?/.+|any"
        r" pronouns.*|"
        r"they pronouns.*)",
        "identity",
        "pronouns",
        pronouns,
        importance=0.9,
    ),
    rule(
        r"(?P<v>(?:she/her|he/him|they/them|she/they|he/they)(?:/\w+)?)$",
        "identity",
        "pronouns",
        importance=0.9,
    ),
    rule(
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
    rule(
        rf"(?:{AM}|we're|we are){ADVERBS} (?:based|residing|located) (?:in|out of|near)"
        r" (?P<v>.+)",
        "identity",
        "home",
        places,
        importance=0.8,
    ),
    rule(
        rf"(?:{AM}|we're|we are){ADVERBS} living (?:in|near) (?P<v>.+)",
        "identity",
        "home",
        places,
        confidence=0.75,
        importance=0.8,
    ),
    rule(
        r"(?:i|we)(?:'ve| have|ve) (?:always |been )?(?:lived|living) in (?P<v>.+?)(?: all my"
        r" life| my whole life|"
        r" my entire life| for (?:\w+ ){1,4}(?:years?|months|now|decades?)| since .+| for"
        r" years)\b.*$",
        "identity",
        "home",
        places,
        confidence=0.8,
        importance=0.8,
    ),
    rule(
        r"(?:i|we)(?:'ve| have|ve)?(?: (?:just|recently|finally|now|already|actually))*"
        r" (?:moved|relocated) "
        r"(?:(?:back|over|down|up|out|here) )?(?:from [\w ]{2,30}? )?to (?P<v>.+)",
        "identity",
        "home",
        places,
        confidence=0.8,
        importance=0.8,
    ),
    rule(r"my home ?(?:town|city) is (?P<v>.+)", "identity", "hometown", places, importance=0.6),
    rule(r"my home is (?:now )?in (?P<v>.+)", "identity", "home", places, importance=0.8),
    rule(
        rf"(?:{AM}{ADVERBS} from|i(?: originally)? come from|i(?: was)? (?:grew up|raised) in|"
        r"i was born and raised in) (?P<v>.+)",
        "identity",
        "hometown",
        places,
        confidence=0.8,
    ),
    rule(
        rf"{AM} (?-i:[A-ZÀ-Þ])[\w-]+(?:,)? from (?P<v>(?-i:[A-ZÀ-Þ]).+)",
        "identity",
        "hometown",
        places,
        confidence=0.75,
    ),
    rule(rf"i was born (?:on )?(?P<v>{DATE})", "identity", "birthday", importance=0.7),
    rule(r"i was born in (?P<v>(?:19|20)\d\d)\b", "identity", "birth_year", importance=0.6),
    rule(
        r"i was born in (?!\d)(?!(?:the|a|an) )(?P<v>.+)",
        "identity",
        "birthplace",
        places,
        confidence=0.8,
    ),
    rule(
        rf"my (?:birthday|bday|b-day|date of birth|dob|birth date|birthdate){_ON} (?P<v>{DATE})",
        "identity",
        "birthday",
        importance=0.7,
    ),
    rule(
        rf"i(?: always)? (?:turn|turned|celebrate my birthday)(?: \d+)? on (?P<v>{DATE})",
        "identity",
        "birthday",
        importance=0.7,
    ),
    rule(
        rf"(?:my|our) (?:wedding |work )?anniversary{_ON} (?P<v>{DATE})",
        "identity",
        "anniversary",
        importance=0.7,
    ),
    rule(
        rf"(?:we|i) got married (?:on|in) (?P<v>{DATE})", "identity", "anniversary", importance=0.7
    ),
    rule(
        rf"my (?P<kin>{_KIN})'?s (?:birthday|bday){_ON} (?P<v>{DATE})",
        "identity",
        "birthday:{kin}",
        importance=0.7,
    ),
    rule(
        r"(?:my (?:native|first|mother) (?:language|tongue)|my mother tongue) is (?P<v>"
        + LANGUAGE
        + r")\b",
        "identity",
        "native_language",
        importance=0.7,
    ),
    rule(
        rf"{AM} a native (?P<v>{LANGUAGE})(?: |-)speaker",
        "identity",
        "native_language",
        importance=0.7,
    ),
]

_SPEAKS = re.compile(
    rf"(?i)(?:i(?: can| also| only| mostly| natively| fluently|'m able to)* speak (?:both )?|"
    rf"{AM.replace(' ', ' ')}{ADVERBS} (?:completely |totally )?(?:fluent in|bilingual in|"
    r"bilingual,?|trilingual,?) |my languages are )"
    r"(?P<v>.+)"
)
_LANGUAGE = re.compile(
    rf"(?i)(?:(?:some|a (?:little|bit of?)|fluent|a bit|basic|both|native|decent|conversational|"
    rf"a little bit of|broken|good|and) ){{0,2}}(?P<name>{LANGUAGE})(?:\s+(?:fluently|"
    r"natively|well|too|as well|"
    r"at home|pretty well|a bit|a little|with my .+|as a second language|and a bit|at work))*"
)

_I_AM = re.compile(rf"(?i)(?:{AM}|this is|it's|it is)\s+(?P<v>.+)")
_AFTER_NAME = re.compile(
    r"(?i)(?:\s*,.*|\s+(?:and|from|by the way|btw|here|-|but)\b.*|\s*\((?:she|he|they).*|\s*)$"
)
_AFTER_PRONOUNS = re.compile(
    r"(?i)(?:she|he|they|xe|ze)\s?/\s?(?:her|hers|him|his|them|theirs|they|she|he)\b"
)


def read(clause: Clause) -> Iterator[Proposal]:
    """Propose what the clause says about who the user is."""
    yield from apply(_RULES, clause)
    yield from _introduction(clause)
    yield from _languages(clause)


def _introduction(clause: Clause) -> Iterator[Proposal]:
    """Read "I'm Sarah": a capital letter that is neither a nationality nor a shout."""
    found = _I_AM.match(clause.text)
    if found is None or (not clause.text.lower().startswith("i") and not clause.greeted):
        return
    if re.match(r"(?i)it", clause.text):
        return
    name = capitalised(found["v"], 3)
    if not name and clause.greeted:
        word = re.match(r"[^\W\d_]+", found["v"])
        name = word[0] if word and word[0].casefold() in FIRST_NAMES else ""
    words = name.split()
    if not words or any(word.casefold().strip(".") in NOT_NAMES for word in words):
        return
    if words[0].isupper() and len(words[0]) > 1:
        return
    if not _AFTER_NAME.match(found["v"][len(name) :]) or not words[0].replace("-", "").isalpha():
        return
    yield propose(clause, "identity", "name", name, confidence=0.85, importance=0.95)


def _languages(clause: Clause) -> Iterator[Proposal]:
    found = _SPEAKS.match(clause.text)
    for part in several(found["v"]) if found else []:
        language = _LANGUAGE.fullmatch(part)
        if language is None:
            return
        name = language["name"]
        yield propose(
            clause, "identity", f"language:{slug(name)}", name, confidence=0.85, importance=0.6
        )
