"""Which of some numbered options a reply means: by number, position or words of its label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import combining, normalize

from longterm.text.references.lexicon import CARDINALS, LAST, POSITIONS, word_set
from longterm.text.words import STOP_WORDS

# A longer reply answers something else; the limit also bounds the search for typos.
_LONGEST = 300
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class Choice:
    """One option: the number and label that the user sees, and what it stands for."""

    number: int
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ChangedSubject:
    """The reply has nothing to do with the options."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The user wants none of the options."""


_WORD = re.compile(r"[^\W_]+")
# Words around a choice that do not say which. "May" and "Will" may be a month and a name.
_AROUND = (STOP_WORDS - {"may", "will"}) | word_set(
    "option number nr choice item answer please thanks thank d ll m s take want like choose pick go"
    " going would mean meant let give use try ok okay um uh hmm think guess maybe probably say"
    " prefer definitely one ones list der die das den dem nummer bitte ich nehme mochte el la lo los"
    " opcion numero por favor quiero le les l prends veux je il te plait vous claro de del il per"
    " favore o os quero called named"
)
_NOT = frozenset({"not", "nicht", "except", "sauf", "excepto", "ausser", "non", "nao"})
_JOINING = frozenset(["or", "and", "oder", "und", "y", "o", "ou", "et", "e"])
_REFUSAL = re.compile(
    r"(?:no |and )?(?:no|nope|nah|none|neither|nothing|cancel|skip|stop|never ?mind|forget (?:it|that)"
    r"|drop it|leave it|no thanks?|not any of (?:them|those)|nein|keine[rsn]?|vergiss es|ninguno"
    r"|ninguna|nada|olvidalo|non|aucune?|laisse tomber|rien|nessuno|niente|nenhum|something else"
    r"|not that)(?: (?:of (?:them|those|these|the above)|one|you|davon|thanks|merci|please))*"
)
_OPEN = re.compile(
    r"(?:h+m+|u+h*m*|well|ok|okay|yes|yeah|sure|perhaps|thanks|i(?: a)? m|(?:hm+ )?(?:i m )?not sure"
    r"|idk|dunno|(?:i )?(?:don t|do not|dont) (?:know|mind|care|remember)|no idea|whichever|whatever"
    r"|either|any|both|all|it depends|(?:that|this|the other) one|you (?:choose|decide|pick)|huh"
    r"|which|what(?= ?$)|weiss nicht|keine ahnung|vielleicht|egal|beide|no se|quiza|ni idea|ambos|je ne sais pas"
    r"|peut etre|les deux|non lo so|nao sei|maybe|what s the difference)(?: .{0,40})?"
)
# "The big one" tries to choose, with a word that no label has.
_ATTEMPT = re.compile(r"(?:the|my|that) (?:[^\W_]+ ){1,2}one|(?:the|my|that) [^\W_]+")
_OF_ALL = re.compile(
    r"\bof course\b|\bfor sure\b|\b(?:of|from|out of) (?:the |these |those )?(?:two|three|four|five|\d+)\b"
)
_QUESTION = re.compile(
    r"(?:what|how|when|where|why|who|can|could|do|does|did|is|are|tell|wie|wo|wann|warum|wer|que|como"
    r"|donde|cuando|quand|comment|pourquoi|quelle?|dove|quanto) "
)


def ask(question: str, options: Sequence[Choice]) -> str:
    """`question` with its options below, each on a line with its number."""
    lines = (f"{option.number}. {' '.join(option.label.split())}" for option in options)
    return "\n".join((question.strip(), "", *lines)) if options else question.strip()


def pick(reply: str, options: Sequence[Choice]) -> Choice | ChangedSubject | Refused | None:
    """The option that `reply` means; None if it still fits several, or does not commit itself.

    A number is the option's number even where another option's label is that number.
    """
    plain = _plain(reply)
    said = _OF_ALL.sub("", plain).split()
    kept = [word for word in said if word not in _AROUND | _JOINING | _NOT]
    if not kept and said[-1:] in (["one"], ["a"]) and said[-2:-1] in ([], ["option"], ["number"]):
        kept = said[-1:]
    is_negative = bool(_NOT & set(said))
    if kept and all(_is_place(word) for word in kept):
        picked = _only({_option_at(word, options) for word in kept})
        if picked or not _labels_with(kept[0], options):
            return None if is_negative else picked
    if labelled := _labelled(reply, options):
        return labelled
    if not said or len(reply) > _LONGEST:
        return ChangedSubject() if said else None
    if _REFUSAL.fullmatch(plain):
        return Refused()
    if _OPEN.fullmatch(plain):
        return None
    picked = _named(plain, kept, options, is_question=reply.rstrip().endswith("?"))
    return None if is_negative and isinstance(picked, Choice) else picked


def _plain(text: str) -> str:
    """Words in lower case, without accents and marks, with one space between them."""
    parts = normalize("NFKD", text[: 4 * _LONGEST].casefold())
    return " ".join(_WORD.findall("".join(part for part in parts if not combining(part))))


_PLACES = {_plain(word): place for word, place in POSITIONS.items()} | {"top": 1}
_LAST = frozenset(map(_plain, LAST)) | {"bottom"}
_PAIR = ("former", "latter")
_ORDINALS = "|".join([*(word for word in _PLACES if word not in CARDINALS), *_LAST])
_POINTED = re.compile(rf"\b(?:the|la|el|der|die|das|le|il|o|a) ({_ORDINALS})\b")


def _is_place(word: str) -> bool:
    is_letter = len(word) == 1 and "a" <= word <= "h"
    return is_letter or word.isdigit() or word in _PLACES or word in _LAST or word in _PAIR


def _option_at(place: str, options: Sequence[Choice]) -> Choice | None:
    if place.isdigit():
        return next((each for each in options if str(each.number) == place.lstrip("0")), None)
    if place in _LAST:
        return options[-1] if options else None
    if place in _PAIR:
        return options[_PAIR.index(place)] if len(options) == 2 else None
    at = _PLACES.get(place) or ord(place[0]) - ord("a") + 1
    return options[at - 1] if at <= len(options) else None


def _only(found: set[Choice | None]) -> Choice | None:
    return found.pop() if len(found) == 1 else None


def _labelled(reply: str, options: Sequence[Choice]) -> Choice | None:
    """The one option with this very label, or with this label but for capitals and accents."""
    plain = _plain(reply)
    exact = [option for option in options if option.label.strip() == reply.strip()]
    alike = exact or [option for option in options if plain and _plain(option.label) == plain]
    return alike[0] if len(alike) == 1 else None


def _named(
    plain: str, kept: list[str], options: Sequence[Choice], *, is_question: bool
) -> Choice | ChangedSubject | None:
    """The only option that words of the reply tell from the others, or that it points to."""
    rows = [row for word in kept if (row := _labels_with(word, options))]
    unknown = len(kept) - len(rows)
    if (is_question or _QUESTION.match(plain)) and unknown > max(1, len(rows)):
        return ChangedSubject()
    found = {row[0] for row in rows if len(row) == 1}
    if _JOINING & set(plain.split()) and any(not found & set(row) for row in rows):
        return None
    pointed = {_option_at(place, options) for place in _POINTED.findall(plain)}
    if found or (pointed and unknown < 4):
        return _only(found | pointed)
    return None if rows or _ATTEMPT.fullmatch(plain) else ChangedSubject()


def _labels_with(word: str, options: Sequence[Choice]) -> list[Choice]:
    """The options whose label has this word; if none has, one that is nearly the same."""
    labels = [(option, _plain(option.label).split()[:60]) for option in options]
    exact = [option for option, label in labels if word in label]
    return exact or [option for option, label in labels if _is_alike(word, label)]


def _is_alike(word: str, label: list[str]) -> bool:
    if len(word) < 3:
        return False
    if any(other.startswith(word) or word == f"{other}s" for other in label if len(other) > 2):
        return True
    near = [other[:64] for other in label if other[0] == word[0] and len(other) > 4]
    return len(word) > 4 and bool(get_close_matches(word[:64], near, 1, _ALIKE))
