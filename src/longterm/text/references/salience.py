"""Which of the recent things a pronoun most likely stands for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from longterm.text.references import lists, mentions
from longterm.text.references.exchange import Exchange
from longterm.text.references.lexicon import HE, SHE
from longterm.text.references.mentions import Kind, Mention, Rank

# Further back, another subject has come between more often than not.
_EXCHANGES = 3


class Sort(Enum):
    """What a pronoun asks for."""

    HE = "he"
    SHE = "she"
    IT = "it"
    MANY = "many"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Found:
    """The thing meant, or the best guess where several fit."""

    text: str
    is_sure: bool
    is_name: bool


def most_salient(sort: Sort, recent: Sequence[Exchange]) -> Found | None:
    """The newest thing of this sort: of a question before those of its answer."""
    for exchange in reversed(recent[-_EXCHANGES:]):
        in_question = mentions.find(exchange.question)
        found = _best(sort, in_question) or _in_answer(sort, exchange.answer)
        if found is None and sort in {Sort.HE, Sort.SHE}:
            found = _of_kinds(in_question, [_is_unknown_name])
        if found is not None:
            return found
    return None


def fits(sort: Sort, mention: Mention) -> bool:
    """Whether a pronoun of this sort may stand for `mention` at all."""
    if sort in {Sort.HE, Sort.SHE}:
        return mention.kind in {Kind.PERSON, Kind.NAME} and _agrees(sort, mention)
    if sort is Sort.MANY:
        return mention.kind in {Kind.MANY, Kind.NAME, Kind.PERSON}
    if sort is Sort.PLACE:
        return mention.kind in {Kind.PLACE, Kind.NAME}
    return mention.kind in {Kind.THING, Kind.NAME, Kind.PLACE}


def _in_answer(sort: Sort, answer: str) -> Found | None:
    items = lists.newest([answer])
    if sort is Sort.MANY and len(items) > 1:
        return Found(lists.together(items), is_sure=True, is_name=False)
    return _best(sort, mentions.find(answer))


def _best(sort: Sort, found: list[Mention]) -> Found | None:
    return _of_kinds(found, _PREFERENCES[sort])


def _of_kinds(found: list[Mention], wanted: Sequence[Callable[[Mention], bool]]) -> Found | None:
    for is_wanted in wanted:
        fitting = [mention for mention in found if is_wanted(mention)]
        if fitting:
            return _first_of_rank(fitting)
    return None


def _first_of_rank(fitting: list[Mention]) -> Found:
    """The mention of the highest rank; sure only if no other thing has the same."""
    rank = min(mention.rank.value for mention in fitting)
    ranked = [mention for mention in fitting if mention.rank is Rank(rank)]
    different = {mention.text.lower() for mention in ranked}
    return Found(ranked[0].text, is_sure=len(different) == 1, is_name=ranked[0].is_name)


def _agrees(sort: Sort, mention: Mention) -> bool:
    words = {word.strip(".") for word in mention.text.lower().split()}
    return not words & (SHE if sort is Sort.HE else HE)


def _is_he(mention: Mention) -> bool:
    return mention.kind is Kind.PERSON and _agrees(Sort.HE, mention)


def _is_she(mention: Mention) -> bool:
    return mention.kind is Kind.PERSON and _agrees(Sort.SHE, mention)


def _is_unknown_name(mention: Mention) -> bool:
    return mention.kind is Kind.NAME


def _is_many(mention: Mention) -> bool:
    return mention.kind is Kind.MANY


def _is_person(mention: Mention) -> bool:
    return mention.kind is Kind.PERSON


def _is_place_name(mention: Mention) -> bool:
    return mention.kind is Kind.PLACE and mention.is_name


def _is_place(mention: Mention) -> bool:
    return mention.kind is Kind.PLACE


def _is_it(mention: Mention) -> bool:
    return fits(Sort.IT, mention)


_PREFERENCES: dict[Sort, list[Callable[[Mention], bool]]] = {
    Sort.HE: [_is_he],
    Sort.SHE: [_is_she],
    Sort.IT: [_is_it],
    Sort.MANY: [_is_many, _is_person],
    Sort.PLACE: [_is_place_name, _is_place],
}
