"""Makes explicit what a query takes from the exchanges before it, for the search.

The query stays as it is; what it refers to is added in brackets: the option that it names by its
place or by a description, the sentence that it recalls, the person meant by "she", else the last
question and the names in its answer. A query that stands alone is not changed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longterm.text.references import cues, options, terms
from longterm.text.references.cues import Cues
from longterm.text.references.options import Option

__all__ = ["Exchange", "Resolved", "resolve"]

_EXCHANGES = 10
_LONGEST_PIECE = 200
_SHORT_MESSAGE = 80
_NAMES = 3
_LONG_ANSWER = 300

_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|but|while|und|aber|et|mais|y|pero|e|ma|mas)\s")
_PRICE = re.compile(
    r"\b(?:cheap|(?:less |more |most )?expensive|dear|günstig|billig|teuer|teurer|(?:moins|plus) ch"
    r"|barat|car[oa]\b|econom|preiswert)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:cheap|less expensive|short(?:er|est)|near(?:er|est)|clos(?:er|est)|quick|fast|small(?:er|est)"
    r"|günstig|billig|preiswert|kürze|nächste|näher|kleine|schnell|moins|barat|más (?:corto|cerca)"
    r"|più (?:corto|vicin)|mais (?:curt|pert)|plus (?:court|proche)|econom)",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:(?:more |most )expensive|dear(?:er|est)|long(?:er|est)|farthest|furthest|bigg(?:er|est)"
    r"|larg(?:er|est)|teurer|teuerste|länger|längste|größ|plus (?:cher|long|grand)|más (?:car|larg)"
    r"|più (?:car|lung|grand)|mais (?:car|long))",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"[$€£₹]\s?(\d[\d.,]*)|(\d[\d.,]*)\s?(?:pounds?|euros?|dollars?|[€£$]|rs\b|lakh|chf|francs?|quid)",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"()(\d[\d.,]*)\s?(?:km|miles?|minut\w*|min\b|hours?|h\b|stunden|heures?|horas?|ore\b|m²|sqm|kg"
    r"|pages|seiten|days|tage)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b(?P<lead>[^\W\d_]+) (?P<number>\d+)\b(?! ?[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of the user and the assistant's answer to it."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What to search for, and whether it differs from what was asked."""

    query: str
    changed: bool


def resolve(query: str, recent: Sequence[Exchange]) -> Resolved:
    """`query` with what it refers to in the `recent` exchanges, oldest first, in brackets."""
    unchanged = Resolved(query, changed=False)
    offer = _offer(recent[-1].answer) if recent else ""
    recent = [each for each in recent[-_EXCHANGES:] if _says_something(each)]
    if not recent or not query.strip() or len(query) > cues.LONGEST or "```" in query:
        return unchanged
    last = recent[-1]
    if terms.is_acknowledgement(query):
        return _with(query, [offer, _topic(last)]) if offer else unchanged
    asked = terms.stems(" ".join(each.question[:2000] for each in recent))
    answered = terms.stems(last.answer[:4000])
    found = cues.find(query, asked | answered, answered - asked)
    if not found.any:
        return unchanged
    return _with(query, _referents(query, found, recent))


def _with(query: str, pieces: list[str]) -> Resolved:
    shortened = dict.fromkeys(_shortened(piece) for piece in pieces)
    kept = [piece for piece in shortened if piece and piece.lower() not in query.lower()]
    return Resolved(f"{query} [{'; '.join(kept)}]" if kept else query, changed=bool(kept))


def _says_something(exchange: Exchange) -> bool:
    return bool(terms.content(exchange.question[:2000]) or len(exchange.answer) > _LONG_ANSWER)


def _offer(answer: str) -> str:
    """The question that an answer ends with, which "yes, please" accepts."""
    last = terms.split(answer[-1000:])[-1:]
    return last[0] if last and last[0].endswith("?") else ""


def _referents(query: str, found: Cues, recent: Sequence[Exchange]) -> list[str]:
    """What the query refers to, the most specific first."""
    last = recent[-1]
    if found.positions and (placed := _placed(found, recent)):
        return [*placed, *_people(found, recent)] if found.people else placed
    if found.chooses and (chosen := _chosen(query, recent)):
        return chosen
    if found.recalls and (said := _recalled(query, recent)):
        return said
    if found.asks_why and (why := _reason(query, recent)):
        return why
    if found.revises:
        texts = [each for each in recent if len(each.answer) > _LONG_ANSWER]
        written = texts[-1] if texts else last
        return [_topic(written), *terms.split(written.answer)[:2]]
    if found.several and (offers := _offers(recent[-1:])):
        return [*(option.label for option in offers[0]), _topic(last)]
    if number := _with_number(query, recent):
        return [number]
    if found.people and not found.continues and (people := _people(found, recent)):
        return people
    return _topics(recent)


def _topics(recent: Sequence[Exchange]) -> list[str]:
    """The last question and the names in its answer, and so on back until there is a name."""
    pieces: list[str] = []
    for at in range(len(recent) - 1, max(-1, len(recent) - 4), -1):
        exchange, earlier = recent[at], recent[:at]
        found = cues.find(exchange.question, frozenset())
        placed = _placed(found, earlier) if found.positions else []
        names = terms.names(exchange.answer, _NAMES)
        first = [each for each in terms.split(exchange.answer) if len(terms.content(each)) > 1]
        pieces += [_topic(exchange), *placed, *names, *first[:1]]
        is_named = bool(names or placed or terms.names(exchange.question, 1))
        if is_named or not found.any:
            break
    return pieces


def _topic(exchange: Exchange) -> str:
    """The user's message; of a long one, its first sentence and its last question."""
    said = [each for each in terms.split(exchange.question) if terms.content(each)]
    if sum(map(len, said)) <= _SHORT_MESSAGE or len(said) < 2:
        return " ".join(said)
    asked = [each for each in said[1:] if each.endswith("?")]
    return " ".join([_shortened(said[0]), *asked[-1:]])


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= _LONGEST_PIECE:
        return text
    return text[:_LONGEST_PIECE].rpartition(" ")[0] or text[:_LONGEST_PIECE]


def _offers(recent: Sequence[Exchange]) -> list[list[Option]]:
    """What the exchanges offer to choose from, newest first."""
    found = (options.find(each.answer) or options.find(each.question) for each in reversed(recent))
    return [offered for offered in found if len(offered) > 1]


def _placed(found: Cues, recent: Sequence[Exchange]) -> list[str]:
    """The options at these places of the newest list that is long enough, and the topic."""
    for offered in _offers(recent):
        if len(offered) >= max(found.positions):
            chosen = [offered[place - 1 if place > 0 else place] for place in found.positions]
            return _without_others(chosen, offered, recent)
    return []


def _chosen(query: str, recent: Sequence[Exchange]) -> list[str]:
    """The option that the query describes, else all of the newest options; and the topic."""
    offers = _offers(recent)
    for choose in (_measured, _described):
        for offered in offers:
            if best := choose(query, offered, recent):
                return _without_others([best], offered, recent)
    return [*(option.label for option in offers[0]), _topic(recent[-1])] if offers else []


def _without_others(
    chosen: list[Option], offered: list[Option], recent: Sequence[Exchange]
) -> list[str]:
    """The chosen options, and the sentences of the last message that speak of no other option."""
    own = terms.stems(" ".join(option.text for option in chosen))
    others = [option for option in offered if option not in chosen]
    labels = terms.stems(" ".join(option.label for option in others)) - own
    texts = terms.stems(" ".join(option.text for option in others)) - own
    said = [
        sentence
        for sentence in terms.split(_topic(recent[-1]))
        if not labels & (found := terms.stems(sentence)) and len(texts & found) < 2
    ]
    return [*(option.label for option in chosen), " ".join(said)]


def _described(query: str, offered: list[Option], recent: Sequence[Exchange]) -> Option | None:
    """The option of which the recent exchanges say most of what the query says."""
    wanted = terms.stems(query)
    clauses = [
        terms.stems(clause)
        for exchange in recent
        for sentence in terms.split(f"{exchange.question[:2000]}\n{exchange.answer}")
        for clause in _CLAUSE.split(sentence)
    ]
    labels = [terms.stems(option.label) for option in offered]
    scores: list[int] = []
    for at, option in enumerate(offered):
        own = labels[at] - set[str]().union(*labels[:at], *labels[at + 1 :])
        said = (clause & wanted for clause in clauses if own & clause)
        scores.append(len((wanted & terms.stems(option.text)).union(*said)))
    best = max(scores)
    return offered[scores.index(best)] if best and scores.count(best) == 1 else None


def _measured(query: str, offered: list[Option], _recent: Sequence[Exchange]) -> Option | None:
    """The option with the least or the greatest price, distance or time, if each has one."""
    is_least = bool(_LEAST.search(query))
    if not is_least and not _MOST.search(query):
        return None
    measure = _AMOUNT if _PRICE.search(query) else _MEASURE
    found = [measure.search(option.text) for option in offered]
    numbers = [
        float(re.sub(r"[.,](?=\d{3}\b)", "", match[1] or match[2]).rstrip(".,").replace(",", "."))
        for match in found
        if match
    ]
    if len(numbers) < len(offered) or len(set(numbers)) < len(numbers):
        return None
    return offered[numbers.index(min(numbers) if is_least else max(numbers))]


def _recalled(query: str, recent: Sequence[Exchange]) -> list[str]:
    """The sentence of an answer that has most words of the query, and what it answered."""
    wanted = terms.stems(query)
    best, said = 0, list[str]()
    for exchange in reversed(recent):
        for sentence in terms.split(exchange.answer):
            score = len(wanted & terms.stems(sentence))
            if score > best:
                best, said = score, [sentence, _topic(exchange)]
    return said


def _reason(query: str, recent: Sequence[Exchange]) -> list[str]:
    """What "why" asks about: the sentence that shares its words, else the last one."""
    last = recent[-1]
    said = [each for each in terms.split(last.answer) if terms.content(each)]
    if not said:
        return []
    wanted = terms.stems(query)
    best = max(reversed(said), key=lambda each: len(wanted & terms.stems(each)))
    is_asked = last.question.rstrip().endswith("?") or len(recent) == 1
    return [best, *(_topics(recent) if is_asked else [])]


def _people(found: Cues, recent: Sequence[Exchange]) -> list[str]:
    """Who is meant by "he" or "she": the sentences with such a word, back to one with a name."""
    if not found.people:
        return []
    said = [
        (sentence, text is exchange.question)
        for exchange in recent[-3:]
        for text in (exchange.question, exchange.answer)
        for sentence in terms.split(text)
    ]
    chain: list[str] = []
    for sentence, is_user in reversed(said):
        is_linked = bool(found.people & {word.strip(".,!?") for word in sentence.lower().split()})
        names = terms.person(sentence)
        if is_linked:
            chain.append(sentence)
        if chain and (names or (is_linked and is_user)):
            return [*names, chain[-1]]
    return []


def _with_number(query: str, recent: Sequence[Exchange]) -> str:
    """The last question with another number: "and at 6?" after "naps at 4 months?"."""
    new = _NUMBER.search(query)
    if new is None:
        return ""
    old = re.compile(rf"\b{new['lead']} \d+\b", re.IGNORECASE)
    for exchange in reversed(recent):
        if old.search(exchange.question):
            return old.sub(new[0], _topic(exchange))
    return ""
