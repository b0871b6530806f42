"""Which of the recent things a pronoun most likely stands for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    is_any: bool = False


def most_salient(sort: Sort, recent: Sequence[Exchange]) -> Found | None:
    """The newest thing of this sort: of a question before those of its answer."""
    for exchange in reversed(recent[-_EXCHANGES:]):
        found = _in_exchange(sort, exchange)
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


def _in_exchange(sort: Sort, exchange: Exchange) -> Found | None:
    if sort is Sort.MANY and (items := lists.written(exchange.answer)):
        return Found(lists.together(items), is_sure=True, is_name=False)
    asked = mentions.find(exchange.question)
    found = _best(sort, asked)
    if found and not found.is_any:
        return found
    answered = mentions.find(exchange.answer)
    if found:
        return _only_name(sort, answered) or found
    found = _best(sort, [_as_the_user_says(mention) for mention in answered])
    if found is None and sort in {Sort.HE, Sort.SHE}:
        is_someone_known = any(mention.kind is Kind.PERSON for mention in (*asked, *answered))
        names = [mention for mention in asked if mention.kind is Kind.NAME]
        return _first_of_rank(sort, names) if names and not is_someone_known else None
    return found


def _only_name(sort: Sort, answered: list[Mention]) -> Found | None:
    """What the answer offers where something was asked for, if it names nothing else."""
    names = [mention for mention in answered if mention.is_name and fits(sort, mention)]
    return _best(sort, names) if len({name.text for name in names}) == 1 else None


def _as_the_user_says(mention: Mention) -> Mention:
    whose, _, rest = mention.text.partition(" ")
    return replace(mention, text=f"my {rest}") if whose == "your" else mention


def _best(sort: Sort, found: list[Mention]) -> Found | None:
    for is_wanted in _PREFERENCES[sort]:
        fitting = [mention for mention in found if is_wanted(mention)]
        if fitting:
            return _first_of_rank(sort, fitting, len({mention.text for mention in found}))
    return None


def _first_of_rank(sort: Sort, fitting: list[Mention], all_mentions: int = 1) -> Found:
    """The mention of the highest rank; sure only if no other thing has the same.

    Not sure either is what was only mentioned by the way of something else that does not fit.
    """
    rank = min(mention.rank.value for mention in fitting)
    ranked = [mention for mention in fitting if mention.rank is Rank(rank)]
    different = {mention.text.lower() for mention in ranked}
    first = ranked[0]
    is_by_the_way = sort is Sort.IT and first.rank is Rank.ASIDE and first.kind is not Kind.PLACE
    is_sure = len(different) == 1 and not (is_by_the_way and all_mentions > 1)
    return Found(first.text, is_sure=is_sure, is_name=first.is_name, is_any=first.is_any)


def _agrees(sort: Sort, mention: Mention) -> bool:
    words = {word.strip(".") for word in mention.text.lower().split()}
    return not words & (SHE if sort is Sort.HE else HE)


def _is_he(mention: Mention) -> bool:
    return mention.kind is Kind.PERSON and _agrees(Sort.HE, mention)


def _is_she(mention: Mention) -> bool:
    return mention.kind is Kind.PERSON and _agrees(Sort.SHE, mention)


def _is_many(mention: Mention) -> bool:
    return mention.kind is Kind.MANY


def _is_someone(mention: Mention) -> bool:
    words = set(mention.text.lower().split())
    return mention.kind is Kind.PERSON and not mention.is_name and not words & (HE | SHE)


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
    Sort.MANY: [_is_many, _is_someone],
    Sort.PLACE: [_is_place_name, _is_place],
}
