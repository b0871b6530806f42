"""Who the user is: names, pronouns, languages, dates that matter."""

import re
from collections.abc import Iterator

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.homes import ADVERBS, AM
from longterm.learn.rules.shapes import Rule, apply, capitalised, propose, several, slug, trim
from longterm.learn.rules.words import FIRST_NAMES, LANGUAGE, NOT_NAMES, OCCUPATION
from longterm.records.proposal import Proposal

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
    # The first sentence of a novel.
    if first == "ishmael":
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
    Rule(
        r"(?:(?:my|the) )?(?:(?:full|real|first|given|legal|actual|proper|complete|preferred)"
        r" )?name(?:'s| is|s|:| ist)"
        r"(?: actually| really| now| still)?:? (?P<v>.+)",
        "identity",
        "name",
        names,
        importance=0.95,
    ),
    Rule(
        r"my (?:last name|family name|surname)(?:'s| is) (?P<v>.+)", "identity", "last_name", names
    ),
    Rule(
        r"(?:you (?:can|may|could|should|guys can|are welcome to) (?:just |also |simply |"
        r"always )?|"
        r"please (?:just |always )?|just |(?:my )?(?:friends|family|colleagues|people|folks|"
        r"most folks)"
        r"(?: usually| all| mostly| just)? |(?:everyone|everybody)(?: just| usually)? |"
        r"i(?:'d| would) (?:prefer|like|rather|love)(?: it)?(?: if| for| that)? ?(?:you )?(?:to )?|"
        r"i (?:want|prefer)(?: you)? to be |i want you to |i like to be |i prefer |"
        r"(?:from now on|going forward|in (?:the )?future),? (?:please )?(?:just )?|always |most people )?"
        r"(?:calls?(?= me)|called|addressed as|address(?= me as)|refer to(?= me as)|being"
        r" called|be called|be addressed as|to be called)"
        r"(?: me(?: as)?)? (?P<v>.+)",
        "identity",
        "nickname",
        nicknames,
        importance=0.9,
    ),
    Rule(
        r"i(?: usually| just| also| mostly)* go by (?:the name )?(?P<v>.+)",
        "identity",
        "nickname",
        nicknames,
        importance=0.9,
    ),
    Rule(rf"{AM} called (?P<v>.+)", "identity", "name", names, importance=0.95),
    Rule(
        r"i(?:'ve| have)?(?: (?:just|recently|legally))* changed my (?:first )?name to"
        r" (?P<v>.+)",
        "identity",
        "name",
        names,
        importance=0.95,
    ),
    Rule(r"my nickname(?:'s| is) (?P<v>.+)", "identity", "nickname", nicknames, importance=0.9),
    Rule(
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
    Rule(
        r"(?P<v>(?:she/her|he/him|they/them|she/they|he/they)(?:/\w+)?)$",
        "identity",
        "pronouns",
        importance=0.9,
    ),
    Rule(rf"i was born (?:on )?(?P<v>{DATE})", "identity", "birthday", importance=0.7),
    Rule(r"i was born in (?P<v>(?:19|20)\d\d)\b", "identity", "birth_year", importance=0.6),
    Rule(
        rf"my (?:birthday|bday|b-day|date of birth|dob|birth date|birthdate){_ON} (?P<v>{DATE})",
        "identity",
        "birthday",
        importance=0.7,
    ),
    Rule(
        rf"i(?: always)? (?:turn|turned|celebrate my birthday)(?: \d+)? on (?P<v>{DATE})",
        "identity",
        "birthday",
        importance=0.7,
    ),
    Rule(
        rf"(?:my|our) (?:wedding |work )?anniversary{_ON} (?P<v>{DATE})",
        "identity",
        "anniversary",
        importance=0.7,
    ),
    Rule(
        rf"(?:we|i) got married (?:on|in) (?P<v>{DATE})", "identity", "anniversary", importance=0.7
    ),
    Rule(
        rf"my (?P<kin>{_KIN})'?s (?:birthday|bday){_ON} (?P<v>{DATE})",
        "identity",
        "birthday:{kin}",
        importance=0.7,
    ),
    Rule(
        r"(?:my (?:native|first|mother) (?:language|tongue)|my mother tongue) is (?P<v>"
        + LANGUAGE
        + r")\b",
        "identity",
        "native_language",
        importance=0.7,
    ),
    Rule(
        rf"(?P<v>{LANGUAGE}) is my (?:native|first|mother) (?:language|tongue)",
        "identity",
        "native_language",
        importance=0.7,
    ),
    Rule(
        rf"(?P<v>{LANGUAGE}) is my (?:second|third) language",
        "identity",
        "language:{}",
        importance=0.6,
    ),
    Rule(
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
    rf"(?i)(?:(?:some|(?:a )?(?:little|bit of?)|fluent|a bit|basic|both|native|decent|conversational|"
    rf"a little bit of|broken|good|and) ){{0,2}}(?P<name>{LANGUAGE})(?:\s+(?:fluently|"
    r"natively|well|too|as well|"
    r"at home|pretty well|a bit|a little|with my .+|as a second language|and a bit|at work))*"
)

_I_AM = re.compile(
    rf"(?i)(?:(?P<self>{AM})|this is|it's(?=\s\w+\shere\b))\s+(?P<v>\S.*)|(?P<here>[^\W\d_]+(?: [^\W\d_]+)?) here(?=$|,)"
)
_KIND_OF_PERSON = re.compile(
    rf"(?i)(?:{OCCUPATION}|newbie|noob|beginner|newcomer|mom|mum|dad|parent|guy|girl|user|customer|"
    r"\w+(?:er|ist|or|ian))"
)
# "hey im tom whats a good mic": chat without commas, after a name that is known as one.
_GOES_ON = re.compile(
    r"(?i)\s+(?:what|whats|what's|how|can|could|is|do|where|i|i'm|im|my|need|looking)\b"
)
_AFTER_NAME = re.compile(
    r"(?i)(?:\s*,.*|\s+(?:and|from|by the way|btw|here|-|but)\b.*|\s*\((?:she|he|they).*|\s*)$"
)


def read(clause: Clause) -> Iterator[Proposal]:
    """Propose what the clause says about who the user is."""
    yield from apply(_RULES, clause)
    yield from _introduction(clause)
    yield from _languages(clause)


def _introduction(clause: Clause) -> Iterator[Proposal]:
    """Read "I'm Sarah": a capital letter that is neither a nationality nor a shout."""
    found = _I_AM.match(clause.text)
    if found is None or not (clause.greeted or found["self"]):
        return
    said = found["v"] or found["here"]
    known = said.split()[0].strip(",.!").casefold() in FIRST_NAMES
    name = capitalised(said, 3)
    # "Teacher here", "Newbie here".
    if found["here"] and not known and _KIND_OF_PERSON.fullmatch(name):
        name = ""
    if not name and known and (clause.greeted or said.isalpha()):
        name = said.split()[0].strip(",.!")
    rest = said[len(name) :]
    if _is_name(name) and (_AFTER_NAME.match(rest) or (known and _GOES_ON.match(rest))):
        yield propose(clause, "identity", "name", name, confidence=0.85, importance=0.95)


def _is_name(text: str) -> bool:
    words = text.split()
    parts = re.split(r"[\s-]+", text.casefold())
    if len(words) > 1 and words[0] in {"Dr.", "Prof."}:
        parts = parts[1:]
    if not words or any(part.strip(".") in NOT_NAMES for part in parts):
        return False
    shouted = words[0].isupper() and len(words[0]) > 1
    return words[0].replace("-", "").rstrip(".").isalpha() and not shouted


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
