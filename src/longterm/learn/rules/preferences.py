"""What the user likes, dislikes and prefers."""

import re
from collections.abc import Iterator
from itertools import pairwise

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.homes import AM
from longterm.learn.rules.shapes import Rule, apply, propose, several, slug, trim
from longterm.learn.rules.words import (
    FIRST_NAMES,
    LANGUAGE,
    NOBODY_LOVES,
    OBJECT_HAS,
    OBJECT_OPENS,
    PROGRAMMING,
)
from longterm.records.proposal import Proposal

_MOST_WORDS = 7
_VERY = (
    r"(?: (?:really|absolutely|totally|also|just|do|still|always|especially|particularly|"
    r"simply|truly|mostly|"
    r"usually|generally|mainly|personally|genuinely|actually|very much|both|definitely|"
    r"kinda|quite|only|now|"
    r"honestly|completely|strongly|much|normally|typically|sooo*|rly))*"
)
_DIVIDES = re.compile(
    r"(?i)\s+(?:when|because|since|so that|as it|as they|while|after|before|whenever|"
    r"where|which|who|"
    r"in order|it's|they're|lately|every|each|on (?:the )?(?:weekends?|sundays?|"
    r"saturdays?)|at (?:the )?weekends?|"
    r"in my (?:free|spare) time|in general|for fun|to relax|to unwind|as a hobby|more"
    r" than|better than|"
    r"rather than|compared to|over)\b.*"
)


def tastes(captured: str) -> list[str]:
    """Things one can like for long: no pronouns, nothing pointed at, nothing of the day."""
    # "People who chew loudly" are not people.
    if re.search(r"(?i)\s(?:who|which|where)\b", captured):
        return []
    text = trim(_DIVIDES.sub("", captured))
    if not text or OBJECT_OPENS.match(text) or OBJECT_HAS.search(text):
        return []
    # "I love hiking and being outdoors with my kids": a long member means it is one thing.
    parts = several(text)
    if any(OBJECT_OPENS.match(part) or len(part.split()) > 5 for part in parts) or _is_one(parts):
        parts = [text]
    # Whom somebody likes is not a taste.
    fit = [part for part in parts if part.casefold() not in FIRST_NAMES]
    return [part for part in fit if len(part.split()) <= _MOST_WORDS]


def _liked(captured: str) -> list[str]:
    return [part for part in tastes(captured) if not NOBODY_LOVES.search(part)]


_ACTIVITY = re.compile(r"(?i)\w+ing\s+\S|.*\s(?:about|in|of|with|to|into|for|on|like)\s")


def _is_one(parts: list[str]) -> bool:
    """Whether an "and" joins words inside one thing: "making new and powerful models"."""
    return any(
        _ACTIVITY.match(part) and not re.match(r"(?i)\w+ing\b", after)
        for part, after in pairwise(parts)
    )


_NOT_FAVOURITE = (
    r"(?:editor|ide|os|framework|browser|shell|database|language|programming|part|thing|"
    r"bit|one|moment|memory|scene|line|aspect|feature|option|of|about|person|answer|time|"
    r"place|way|ones|parts|things)"
)


def favourites(captured: str) -> list[str]:
    """The one thing that is called a favourite."""
    text = trim(
        re.sub(
            r"(?i)^(?:definitely|probably|by far|actually|still|now|always|currently|hands"
            r" down)\s+",
            "",
            captured,
        )
    )
    if (
        not text
        or len(text.split()) > _MOST_WORDS
        or re.search(
            r"(?i)^(?:when|how|what|that|this|it|the one|to|not|a|an|my|your|hard|so|in|at|on|"
            r"one)\b|\b(?:you|your|it|this|i|was|which)\b",
            text,
        )
    ):
        return []
    return [text]


_RULES = [
    Rule(
        rf"(?:i{_VERY} (?:like|love|enjoy|adore|luv)|{AM}{_VERY} (?:(?:a )?(?:big|huge|massive|"
        r"great|avid) )?(?:fan of|into|fond of|keen on|crazy about|passionate about|obsessed"
        rf" with)|i've been{_VERY} into|{AM}{_VERY} an? (?:(?:big|huge|massive|great|avid|"
        rf"die-?hard|lifelong) )?(?:fan of|lover of|sucker for)){_VERY} (?P<v>.+)",
        "preference",
        "likes:{}",
        _liked,
        confidence=0.75,
        importance=0.5,
    ),
    Rule(
        rf"{AM}{_VERY} an? (?:(?:big|huge|massive|great|avid|die-?hard|lifelong|total|real)"
        r" )*(?P<v>(?!of\b|(?:big|huge|massive|great|avid|die-?hard|lifelong|total|real|"
        rf"such)\b)[\w'-]+(?: (?!of\b)[\w'-]+){{0,2}}) (?:fan|lover|enthusiast|addict|nerd)$",
        "preference",
        "likes:{}",
        _liked,
        confidence=0.75,
        importance=0.5,
    ),
    Rule(
        r"my (?:main |biggest |favou?rite )?(?:hobby is|hobbies are|hobbies include|interests are|"
        r"interests include) (?P<v>.+)",
        "preference",
        "likes:{}",
        _liked,
        confidence=0.75,
        importance=0.5,
    ),
    Rule(
        rf"(?:i{_VERY} (?:hate|dislike|detest|loathe|despise)|i{_VERY} (?:don't|do not|dont|"
        rf"can't|cannot|cant){_VERY} (?:like|enjoy|stand|bear|care for)|{AM}{_VERY} not{_VERY}"
        rf" (?:an? )?(?:(?:big|huge|great) )?(?:fan of|into|fond of|keen on|big on)){_VERY} (?P<v>.+)",
        "preference",
        "dislikes:{}",
        tastes,
        confidence=0.75,
        importance=0.5,
    ),
    Rule(
        r"my (?:all[- ]time )?(?:favou?rite|fav|fave)"
        rf" (?!{_NOT_FAVOURITE}\b)(?P<what>(?:(?!{_NOT_FAVOURITE}\b)[\w-]+ ){{0,3}}?[\w-]+?)(?:"
        r" of all time| ever| to \w+)?(?:'s| is| are|:) (?P<v>.+)",
        "preference",
        "favorite_{what}",
        favourites,
        confidence=0.85,
        importance=0.5,
    ),
    Rule(
        rf"(?P<v>[\w' -]{{2,40}}?) (?:is|are) my (?:all[- ]time )?(?:favou?rite|fav|fave)"
        rf" (?!{_NOT_FAVOURITE}\b)(?P<what>(?:[\w-]+ ){{0,2}}?[\w-]+)$",
        "preference",
        "favorite_{what}",
        favourites,
        confidence=0.85,
        importance=0.5,
    ),
]

_PREFERS = re.compile(rf"(?i)i{_VERY} prefer{_VERY} (?P<v>.+)")
_MY_LANGUAGE = re.compile(
    r"(?i)my (?:preferred|favou?rite|main|primary|go-?to) (?:programming |coding"
    rf" )?language is (?P<v>{PROGRAMMING}|{LANGUAGE})(?![\w+#])"
)
_CODE_IN = re.compile(
    rf"(?i)i{_VERY}(?: (?:primarily|exclusively))?(?: work(?: mostly| mainly)? (?:with|in)|"
    r" (?:code|program|develop|write|write code|write everything|(?:write|do) (?:most|all|nearly all) of"
    r" my (?:code|coding|work))(?: (?:mostly|mainly|"
    r"primarily|exclusively|everything|only|a lot))?(?: in)?)"
    rf" (?:mostly |mainly )?(?P<v>{PROGRAMMING})(?=$|[,.]| (?:for|and|at|code|but|with|"
    r"every|mostly|these|on|professionally|now|mainly)\b)"
)
_LANGUAGE = re.compile(rf"(?i)(?P<v>{PROGRAMMING})(?![\w+#]|-\w)")
_STYLE = re.compile(
    r"(?i)(?:tabs|spaces|\w+[- ]space indent|\d+[- ]spaces?|snake[ _]?case|camel ?case|"
    r"type (?:hints|annotations)|single quotes|double quotes|"
    r"functional (?:style|programming|code)|early returns|trailing commas|semicolons|"
    r"composition|list comprehensions|"
    r"(?:short|small|pure) functions|(?:strict |static )?typing|async|object[- ]oriented|"
    r"oop|tdd|docstrings|kebab[- ]case|pascal ?case|f-strings|"
    r"dataclasses|explicit|\w+[- ]?style (?:docstrings|guide)|pep ?8|black)\b"
)
_ANSWERS = re.compile(
    r"(?i)(?:\w+[- ]){0,4}(?:answers?|replies|responses|explanations?|examples|bullet"
    r" points|bullets|summaries|step[- ]by[- ]step.*|code snippets)\b"
)
_RATHER = re.compile(r"(?i) (?:over|to|instead of|rather than) ")
_WITHOUT_STANDING = re.compile(
    r"(?i)^(?:the|this|that|it|your|these|those|a|an|not|to (?!be\b|work|read|write|eat|"
    r"drink|travel|sleep|run|learn|listen|study|walk|cook)|option|number|if|when|my|door|"
    r"version|what|how|you|neither|one|something|which|them|first|second)\b"
)


def read(clause: Clause) -> Iterator[Proposal]:
    """Propose the tastes that the clause states."""
    yield from apply(_RULES, clause)
    for pattern in (_MY_LANGUAGE, _CODE_IN):
        found = pattern.match(clause.text)
        if found:
            yield _language(clause, found["v"])
    found = _PREFERS.match(clause.text)
    if found:
        yield from _preferred(clause, found["v"])


def _language(clause: Clause, name: str) -> Proposal:
    spoken = re.fullmatch(f"(?i){LANGUAGE}", name)
    key = "preferred_language" if spoken else "language"
    return propose(clause, "preference", key, name, confidence=0.85, importance=0.6)


def _preferred(clause: Clause, captured: str) -> Iterator[Proposal]:
    text = trim(
        re.sub(r"(?i)\s+(?:when|whenever|if|because|since|as it|as they)\b.*", "", captured)
    )
    if (
        not text
        or _WITHOUT_STANDING.match(text)
        or OBJECT_HAS.search(text)
        or len(text.split()) > 9
    ):
        return
    language = _LANGUAGE.match(text)
    if language and re.match(
        r"(?i)$|,|\s+(?:over|to|for|and|as|than|code|instead)\b", text[language.end() :]
    ):
        yield _language(clause, language["v"])
        return
    if _STYLE.match(text):
        yield propose(clause, "preference", "coding_style", text, confidence=0.8, importance=0.6)
        return
    if re.match(r"(?i)to be (?:called|addressed)|being called", text):
        return
    first = _RATHER.split(text)[0]
    key = "answer_style" if _ANSWERS.match(text) else f"prefers:{slug(first)}"
    yield propose(clause, "preference", key, text, confidence=0.75, importance=0.6)
