"""Which of some numbered options a reply means: by number, position, name or other words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from unicodedata import combining, normalize

from longterm.text.words import STOP_WORDS

# Who writes more than this answers something else; it also bounds the search for typos.
_LONGEST = 300
_ALIKE = 0.8
_LABELS_ALIKE = 0.85
_SHORTEST_TYPO = 5


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

_POSITIONS = {
    word: place
    for place, words in enumerate(
        (
            "1 one first 1st eins erste ersten erster erstes uno primer primera primero un"
            " premier premiere 1er",
            "2 two second 2nd zwei zweite zweiten zweiter zweites dos segunda segundo deux"
            " deuxieme seconde",
            "3 three third 3rd drei dritte dritten dritter drittes tres tercer tercera tercero"
            " trois troisieme",
            "4 four fourth 4th vier vierte vierten vierter viertes cuatro cuarta cuarto quatre"
            " quatrieme",
            "5 five fifth 5th funf funfte funften funfter funftes cinco quinta quinto cinq"
            " cinquieme",
            "6 six sixth 6th sechs sechste sechsten sechster seis sexta sexto sixieme",
            "7 seven seventh 7th sieben siebte siebten siebter siete septima septimo septieme",
            "8 eight eighth 8th acht achte achten achter ocho octava octavo huit huitieme",
            "9 nine ninth 9th neun neunte neunten neunter nueve novena noveno neuf neuvieme",
            "10 ten tenth 10th zehn zehnte zehnten zehnter diez decima decimo dix dixieme",
        ),
        start=1,
    )
    for word in words.split()
}
_LAST_WORDS = """
    last final bottom letzte letzten letzter letztes ultima ultimo dernier derniere
"""
_LAST = frozenset(_LAST_WORDS.split())
_TOP = frozenset({"top"})
_PAIR = frozenset({"former", "latter"})
_PLACE = "|".join((*_POSITIONS, *sorted(_LAST)))
_PLACE_BESIDE = re.compile(
    rf"\bthe ({_PLACE})(?: (?:one|option|choice)\b|$)|\b(?:option|number|nummer) ({_PLACE})\b"
)

# Words around a choice that say nothing about which.
_AROUND_WORDS = """
    the a an option number no nr choice item answer please thanks thank you i d ll m s me my it is
    that take want like choose pick go going with for would mean meant let us give use try ok okay
    yes yeah yep um uh hmm think guess maybe probably say prefer definitely of in on list der die
    das den dem nummer bitte ich nehme mochte el la lo los opcion numero por favor quiero le les l
    option numero prends veux je s il te plait vous
"""
_AROUND = frozenset(_AROUND_WORDS.split())
_ASIDE = re.compile(r"\b(?:of course|for sure)\b")
# Who says "the big one" tries to choose, with a word that no label has.
_ATTEMPT = re.compile(r"(?:the|my|that) (?:[^\W_]+ ){1,2}one|(?:the|my|that) [^\W_]+")
_OF_ALL = re.compile(r"\b(?:of|from|out of) (?:the |these |those )?(?:two|three|four|five|\d+)\b")

_REFUSAL = re.compile(
    r"(?:no|nope|nah|none|neither|nothing|cancel|skip|stop|quit|never ?mind|forget (?:it|that|about"
    r" it)|drop it|leave it|no thanks?(?: you)?|not (?:any|one) of (?:them|those|these)|nein|keine[rsn]?"
    r"|vergiss es|abbrechen|egal vergiss es|ninguno|ninguna|nada|olvidalo|dejalo|non|aucune?"
    r"|laisse tomber|rien|something else|(?:no )?not that(?: one)?)"
    r"(?: (?:of (?:them|those|these|the above|it|the two)|one|davon|von beiden|de ellos|de ellas"
    r"|d entre eux|please|thanks|thank you|bitte|danke|gracias|merci|option|options))*"
)
_HESITATION = re.compile(
    r"(?:h+m+|u+h*m*|well|ok|okay|yes|yeah|yep|sure|maybe|perhaps|hm+ ?not sure|thanks|thank you"
    r"|(?:i m |i am )?(?:still )?(?:not|un) ?(?:so |really |quite )?(?:sure|certain)(?: yet)?|idk|dunno"
    r"|(?:i )?(?:don t|do not|dont) (?:know|care|mind|remember)|no idea|whichever|whatever|either"
    r"(?: one| of them)?|any(?: one| of them)?|both(?: of them)?|all(?: of them)?|it depends"
    r"|(?:that|this|the other) one|you (?:choose|decide|pick)|good question|let me think|what|huh"
    r"|which(?: one| ones)?(?: .*)?|what s the difference(?: .*)?|what are (?:the|my) options"
    r"|weiss nicht|(?:ich )?weiss (?:es )?nicht|keine ahnung|vielleicht|egal|beide|no se|quiza|quizas"
    r"|ni idea|ambos|cualquiera|je ne sais pas|peut etre|les deux|aucune idee|n importe)"
    r"(?: (?:please|thanks|really|yet|maybe|honestly))*"
)
_QUESTION = re.compile(
    r"(?:what|how|when|where|why|who|can|could|do|does|did|is|are|will|would|should|was|wie|wo"
    r"|wann|warum|wer|kannst|que|como|donde|cuando|quand|comment|pourquoi|ou) "
)
_NOT = frozenset({"not", "nicht", "except", "sauf", "excepto", "ausser"})
_CONNECTING = frozenset(["or", "and", "oder", "und", "y", "o", "ou", "et"])
_CLAUSE_END = re.compile(r"[,.;!\n]|\s[-–—]\s")
# A month and a name, though they are auxiliaries more often.
_STOP_WORDS = STOP_WORDS - {"may", "will"}


def ask(question: str, options: Sequence[Choice]) -> str:
    """`question` with its options below, each on a line with its number."""
    lines = (f"{option.number}. {' '.join(option.label.split())}" for option in options)
    return "\n".join((question.strip(), "", *lines)) if options else question.strip()


def pick(reply: str, options: Sequence[Choice]) -> Choice | ChangedSubject | Refused | None:
    """The option that `reply` means; None if it still fits several, or does not commit itself.

    A number is the option's number even where another option's label is that number.
    """
    plain = _plain(reply)
    words = plain.split()
    if not options or not words:
        return _labelled(reply, options)
    if places := _places(plain):
        picked = None if _NOT & set(words) else _at(places, options)
        if picked or not _is_in_label(places, options):
            return picked
    if labelled := _labelled(reply, options):
        return labelled
    if _REFUSAL.fullmatch(plain[:_LONGEST]):
        return Refused()
    if _HESITATION.fullmatch(plain[:_LONGEST]):
        return None
    if len(reply) > _LONGEST:
        return ChangedSubject()
    return _named(plain, reply, options)


def _plain(text: str) -> str:
    """Words in lower case, without accents and marks, with one space between them."""
    parts = normalize("NFKD", text[: 4 * _LONGEST].casefold())
    bare = "".join(part for part in parts if not combining(part))
    return " ".join(_WORD.findall(bare))


def _labelled(reply: str, options: Sequence[Choice]) -> Choice | None:
    """The one option with this very label, or with this label but for capitals and accents."""
    exact = [option for option in options if option.label.strip() == reply.strip()]
    plain = _plain(reply)
    alike = exact or [option for option in options if plain and _plain(option.label) == plain]
    return alike[0] if len(alike) == 1 else None


def _places(plain: str) -> list[str]:
    """The positions of a reply that speaks of nothing else, in its own words."""
    words = _OF_ALL.sub("", plain).split()
    kept = [word for word in words if word not in _AROUND | _CONNECTING | _NOT]
    if len(kept) > 1 and kept[-1] in {"one", "ones", "opcion", "option"}:
        kept.pop()
    if kept == ["one"] and words[-2:-1] and words[-2] in {"that", "the", "my"}:
        return []
    if not kept and words and words[-1] == "a" and (len(words) == 1 or words[-2] == "option"):
        return ["a"]
    return kept if kept and all(_is_place(word) for word in kept) else []


def _is_in_label(places: list[str], options: Sequence[Choice]) -> bool:
    """Whether a number may be part of a name: the year of an invoice."""
    return any(
        place.isdigit() and place in _plain(option.label).split()
        for place in places
        for option in options
    )


def _is_place(word: str) -> bool:
    is_letter = len(word) == 1 and "a" <= word <= "h"
    is_number = word.isascii() and word.isdigit()
    return is_letter or is_number or word in _POSITIONS or word in _LAST or word in _TOP | _PAIR


def _at(places: list[str], options: Sequence[Choice]) -> Choice | None:
    found = {_option_at(place, options) for place in places}
    return found.pop() if len(found) == 1 else None


def _option_at(place: str, options: Sequence[Choice]) -> Choice | None:
    if place in _LAST:
        return options[-1]
    if place in _TOP or place in _PAIR:
        fits = place in _TOP or len(options) == 2
        return options[place == "latter"] if fits else None
    if place.isdigit():
        wanted = place.lstrip("0")
        return next((option for option in options if str(option.number) == wanted), None)
    at = _POSITIONS[place] if place in _POSITIONS else ord(place) - ord("a") + 1
    return options[at - 1] if at <= len(options) else None


def _named(plain: str, reply: str, options: Sequence[Choice]) -> Choice | ChangedSubject | None:
    """The option that a sentence names, by its label, by words of it, or by its place."""
    labels = [_plain(option.label) for option in options]
    is_negative = bool(_NOT & set(plain.split()))
    if (at := _within(plain, labels)) is not None:
        return None if is_negative else options[at]
    words = [word for word in _ASIDE.sub("", plain).split() if _says_something(word)]
    known = [row for word in words if any(row := _labels_with(word, labels))]
    if _is_other_question(plain, reply, len(known), len(words) - len(known)):
        return ChangedSubject()
    places = [place for place in map(_place_in_clause, _CLAUSE_END.split(reply)) if place]
    at = _told(known, has_several=bool(_CONNECTING & set(plain.split())))
    at = _misspelt(plain, labels) if at is None else at
    if at is None and not places:
        is_attempt = bool(known) or bool(_ATTEMPT.fullmatch(plain))
        return None if is_attempt else ChangedSubject()
    named, placed = None if at is None else options[at], _at(places, options)
    is_torn = named is not None and placed is not None and named != placed
    return None if is_negative or is_torn else named or placed


def _told(known: list[list[bool]], *, has_several: bool) -> int | None:
    """The option that the words tell from the others; of "Anna or Bob", one that is both."""
    telling = {row.index(True) for row in known if sum(row) == 1}
    if len(telling) != 1:
        return None
    at = telling.pop()
    return None if has_several and not all(row[at] for row in known) else at


def _place_in_clause(clause: str) -> str | None:
    plain = _plain(clause)
    if len(alone := _places(plain)) == 1:
        return alone[0]
    match = _PLACE_BESIDE.search(plain)
    return next((group for group in match.groups() if group), None) if match else None


def _says_something(word: str) -> bool:
    return word not in _STOP_WORDS and word not in _AROUND and word != "one"


def _within(plain: str, labels: list[str]) -> int | None:
    """The only label that stands in the reply as it is, a longer one before its own parts."""
    inside = [at for at, label in enumerate(labels) if label and f" {label} " in f" {plain} "]
    longest = max(inside, key=lambda at: len(labels[at]), default=None)
    if longest is None or (_QUESTION.match(plain) and len(plain) > len(labels[longest]) + 20):
        return None
    is_only = all(labels[at] in labels[longest] and at != longest for at in inside if at != longest)
    return longest if is_only and labels.count(labels[longest]) == 1 else None


def _labels_with(word: str, labels: list[str]) -> list[bool]:
    """Which labels have this very word; if none, which have one that is nearly the same."""
    exact = [word in label.split() for label in labels]
    if any(exact):
        return exact
    return [any(_is_alike(word, other) for other in label.split()) for label in labels]


def _is_alike(word: str, other: str) -> bool:
    """Whether two words differ by an ending or a typo, not by their beginning."""
    if len(word) > 2 and other.startswith(word):
        return True
    if min(len(word), len(other)) < _SHORTEST_TYPO or word[0] != other[0]:
        return word in {f"{other}s", other.removesuffix("s")} and len(other) > 2
    return _likeness(word[:64], other[:64]) >= _ALIKE


def _likeness(one: str, other: str) -> float:
    # The upper bound is cheap, and spares nearly all comparisons the quadratic one.
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


def _is_other_question(plain: str, reply: str, known: int, unknown: int) -> bool:
    asks = bool(_QUESTION.match(plain)) or reply.rstrip().endswith("?")
    return asks and unknown >= 2 and unknown > known


def _misspelt(plain: str, labels: list[str]) -> int | None:
    """The only label that is the whole reply but for typos."""
    bare = " ".join(word for word in plain.split() if word not in _AROUND)
    alike = [
        at
        for at, label in enumerate(labels)
        if len(label) <= _LONGEST
        and len(label) >= _SHORTEST_TYPO
        and max(_likeness(plain, label), _likeness(bare, label)) >= _LABELS_ALIKE
    ]
    return alike[0] if len(alike) == 1 else None
