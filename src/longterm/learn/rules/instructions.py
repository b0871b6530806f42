"""What the user wants from every answer: standing instructions and things to remember."""

import re
from collections.abc import Iterator
from dataclasses import replace

from longterm.learn.rules.acts import (
    ACT,
    FOREIGN,
    NOT_ACT,
    OCCASION,
    ONCE,
    POLITE,
    STANDING,
    TO_EVERY_ANSWER,
    TOPICS,
)
from longterm.learn.rules.clauses import Clause, Sentence, split
from longterm.learn.rules.masking import MASK
from longterm.learn.rules.openers import openers
from longterm.learn.rules.shapes import propose, slug, trim
from longterm.records.proposal import Proposal

_MOST_WORDS = 40

_FROM_NOW_ON = re.compile(rf"(?i){POLITE}(?:{OCCASION}|{STANDING})[,:\s]+(?P<rest>.+)")
_ALWAYS = re.compile(
    rf"(?i){POLITE}(?:always|never ever|never|don'?t ever|do not ever|only ever) (?P<rest>.+)"
)
_STOP = re.compile(
    rf"(?i){POLITE}(?:(?:stop|quit) \w+ing\b|(?:don'?t|do not) (?={ACT})|no (?:more )?emojis?\b)"
)
_AND_SO_ON = re.compile(
    rf"(?i){POLITE}(?:only |don'?t |do not |never |always )?(?={ACT}|(?:i (?:want|need|"
    r"expect)|i'd like) "
    r"(?:all|your|every|only|short|shorter|code|answers|replies)\b)(?P<rest>.+)"
)
_LASTS = re.compile(
    rf"(?i)\b(?:{STANDING}|always(?: (?:if|when)\b.*)?)(?:[\s,]+(?:please|thanks|thank you|ok|okay))*$"
)
_COMMAND = re.compile(
    rf"(?i){POLITE}(?:always |never |only |don'?t (?:ever )?|do not (?:ever )?|no more |stop |"
    r"(?:i|i'd|i would) (?:want|need|expect|like|prefer) (?:you to )?|you (?:should|must|"
    r"can|have to|"
    r"need to|may|will|are to|shouldn't|must not|can't) )?(?:only |always |never |also )?"
    rf"(?:{ACT}|using\b|calling\b|answering\b|your (?:answers|replies) should|code should|just the|no need to)"
)
_SOMEBODY = re.compile(
    r"(?i)(?:i|i'm|i'll|i've|im|i'd|we|we'll|he|she|they|it|there|the|my|let's)\b"
    r"(?! (?:want|need|expect|would like|prefer|like) (?:you|short|long|\w+ answers))"
)
# Said of answers, not of this answer.
_ANSWERS = re.compile(
    r"(?i)(?:keep|make) (?:your |all |all your )?(?:answers|replies|responses|explanations)(?! coming)\b"
)
_LAUGHS = re.compile(r"(?i)\b(?:lol|haha\w*|lmao)\W*$")
_TITLE = re.compile(r"[A-Z]\w+ [A-Z]\w+ [A-Z]\w+")
_INFLECTED = re.compile(r"(?i)\w+(?:ed|ing)\b|(?!address|express|discuss|process|was\b)\w+[^s]s\b")
# "Call me Al" is a name, wherever it stands: identity reads it.
_NAMES = re.compile(
    r"(?i)\W*(?:(?:please|from now on|in (?:the )?future|always|just|you can|going forward)\b\W*)*"
    r"(?:call me|address me as|refer to me as)\b"
)


def read(sentence: Sentence) -> Iterator[Proposal]:
    """Propose the standing instruction that the sentence gives, from its command to its end."""
    for word, start, end in split(sentence.text):
        opened, begin = openers(sentence.text[start:end])
        text = " ".join(sentence.text[start + begin :].split())
        wish = re.match(r"(?i)(?:please )?(?:can|could|would|will) you\b", text)
        if (sentence.asked and not wish) or MASK in text:
            return
        value = "" if word == "or" else _standing(text)
        if value:
            clause = Clause(
                text=value,
                start=sentence.start + start + begin,
                end=sentence.end,
                correction="correction" in opened | sentence.opened,
            )
            yield propose(
                clause, "instruction", key_of(value), value, confidence=0.9, importance=0.85
            )
            return


def told(clause: Clause) -> Iterator[Proposal]:
    """What the user said to remember and no other rule could read."""
    text = trim(clause.text)
    plain = len(text.split()) >= _FEWEST_WORDS and not _SECRET.search(text)
    if clause.told and plain and _STATED.match(text) and not _PASSING.search(text):
        key = f"note:{slug(text)}"
        yield propose(clause, "instruction", key, text, confidence=0.85, importance=0.8)


def ended(clause: Clause) -> Iterator[Proposal]:
    """A standing instruction that is taken back."""
    found = _ENDS.match(clause.text)
    if found is None:
        return
    value = trim(_ANY_MORE.sub("", found["what"] or found["rule"]))
    if found["what"] and not (_ANY_MORE.search(clause.text) or found["over"]):
        return
    yield propose(
        replace(clause, ended=True),
        "instruction",
        key_of(value),
        value,
        confidence=0.85,
        importance=0.8,
    )


def key_of(value: str) -> str:
    """The same key for the same instruction, so that a new one replaces it."""
    for key, topic in TOPICS:
        if topic.search(value):
            return key
    return slug(_NOISE.sub(" ", value)) or slug(value)


def _standing(text: str) -> str:
    value = _without_reason(text)
    if len(value.split()) > _MOST_WORDS or _NAMES.match(text) or _LAUGHS.search(text):
        return ""
    lasting = (
        _is_from_now_on(text)
        or _is_always(text, value)
        or (_STOP.match(text) and TO_EVERY_ANSWER.search(value) and not ONCE.search(value))
        or _is_meant_to_last(text, value)
        or _ANSWERS.match(value)
        or FOREIGN.match(value)
    )
    return value if lasting else ""


def _is_from_now_on(text: str) -> bool:
    found = _FROM_NOW_ON.match(text)
    return bool(found and _COMMAND.match(found["rest"]) and not _SOMEBODY.match(found["rest"]))


def _is_always(text: str, value: str) -> bool:
    found = _ALWAYS.match(text)
    if (
        found is None
        or _TITLE.match(text)
        or _INFLECTED.match(found["rest"])
        or NOT_ACT.match(found["rest"])
    ):
        return False
    return bool(re.match(rf"(?i){ACT}", found["rest"])) and not ONCE.search(value)


def _is_meant_to_last(text: str, value: str) -> bool:
    """Whether the mark comes last, as in "answer in French from now on"."""
    found = _AND_SO_ON.match(text)
    return bool(found and _LASTS.search(value) and not NOT_ACT.match(found["rest"]))


_REASON = re.compile(
    r"(?i)(?:,|\s+(?:and|because|since|as|but|so))\s+(?:i'm|im|i am|i|my)\b.*$|\s+because\b.*$"
)
_ASIDE = re.compile(
    r"(?i)[\s,]+(?:please|pls|plz|thanks|thank you|thx|ty|cheers|btw|by the way|ok|okay|per favore|"
    r"bitte|danke|merci|gracias|grazie|obrigad[oa]|por favor|alsjeblieft|s'il te plaît)$"
)
_LEAD = re.compile(rf"(?i)^{POLITE}")
_OCCASION = re.compile(rf"(?i){POLITE}{OCCASION},?")


def _without_reason(text: str) -> str:
    """The command, without the courtesies around it and the reason for it."""
    occasion = _OCCASION.match(text)
    offset = occasion.end() if occasion else 0
    value = text[:offset] + _REASON.sub("", text[offset:])
    lead = _LEAD.match(value)
    return _ASIDE.sub("", value[lead.end() if lead else 0 :].strip(" ,.!:'\"*"))


_NOISE = re.compile(
    r"(?i)\b(?:please|pls|from now on|always|going forward|moving forward|in (?:the )?future|"
    r"for future reference|henceforth|ever|you should|your|the|a|an|to|me|my|i|want|you|"
    r"just|only)\b"
)
_STATED = re.compile(
    r"(?i)(?:i|i'm|i've|im|my|we|we're|our|the|ich|mein\w*|je|mon|ma|mes|mi|meu|minha|mijn)\b|.*\b(?:my|our)\b"
)
_PASSING = re.compile(
    r"(?i)^(?:(?:i|we) (?:was|were|had|went|told|said|did|used)\b|(?:i'm|im|i am) (?:in a|on my|tired|"
    r"busy|late|running|going|just|not|still|almost|about|here|sorry|sick|hungry|bored)\b)"
)
_SECRET = re.compile(
    r"(?i)\b(?:password|passwort|passcode|pin|api key|token|secret|credit card|ssn|iban|cvv)\b"
)
_FEWEST_WORDS = 3
_ANY_MORE = re.compile(r"(?i)\s+(?:any ?more|any longer)\b.*$")
_ENDS = re.compile(
    r"(?i)you (?:(?P<over>no longer (?:have|need) to|can stop)|(?:don't|do not) (?:have|need) to)"
    r" (?:always )?(?P<what>.+)$"
    r"|(?:forget|drop|ignore) (?:the|my|that|what i said about)(?: (?:rule|instruction|request))?"
    r"(?: about| on| to)? (?P<rule>(?:always|never|emojis?|answering|replying|using|metric)\b.+)$"
)
