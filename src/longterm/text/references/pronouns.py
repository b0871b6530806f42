"""Pronouns of a query that stand for something said before it."""

import re
from collections.abc import Iterator, Sequence

from longterm.text.references import mentions, salience
from longterm.text.references.edits import Edit, folded, masked
from longterm.text.references.exchange import Exchange
from longterm.text.references.lexicon import AUXILIARIES, EMPTY
from longterm.text.references.mentions import Mention
from longterm.text.references.salience import Found, Sort

_SORTS = {
    **dict.fromkeys(("he", "him", "his"), Sort.HE),
    **dict.fromkeys(("she", "her"), Sort.SHE),
    **dict.fromkeys(("it", "its", "that", "this", "that one", "this one"), Sort.IT),
    **dict.fromkeys(("eso", "ça", "cela", "es", "das", "davon", "darüber"), Sort.IT),
    **dict.fromkeys(("they", "them", "their", "those", "these"), Sort.MANY),
    "there": Sort.PLACE,
}
_POSSESSIVE = frozenset({"his", "its", "their"})

_PRONOUN = re.compile(
    r"(?<![\w'\u2019#@./-])(?:(?:that|this) one|he|him|his|she|her|its?|that|this|they|them|their"
    r"|those|these|there)(?P<is>['\u2019]s)?(?![\w'\u2019@/-]|\.\w)",
    re.IGNORECASE,
)
_BE = r"(?:['\u2019]s|\s+(?:is|was|will be|would be|has been|might be|may be|can be))"
_ASIDE = r"(?:\s+(?:not|really|so|too|very|still|also|even|already|always|just))?"
_WEATHER = (
    r"(?:raining|snowing|sunny|rainy|windy|cloudy|cold|hot|warm|freezing|late|early|dark|time|noon"
    r"|midnight|\d+|monday|tuesday|wednesday|thursday|friday|saturday|sunday|me|you|ok|okay|fine"
    r"|up to|as if|going)"
)
_COMMENT = r"(?:all|right|great|nice|good|fine|ok|okay|been|just|like|me|you)"
# "It" that stands for nothing, and idioms; the whole expression is left as it is.
_EMPTY_IT = re.compile(
    rf"\bit{_BE}{_ASIDE}\s+(?:{_WEATHER}|{_COMMENT})\b"
    rf"|\bit{_BE}{_ASIDE}\s+(?:[^\W_]+\s+){{1,4}}(?:to|that|if|when|who|how|whether|for)\b"
    rf"|\b(?:is|was|isn['\u2019]t|will|would|could|might|does|did)\s+it(?:\s+be)?{_ASIDE}\s+{_WEATHER}\b"
    r"|\b(?:is|was|isn['\u2019]t|would|will)\s+it(?:\s+be)?(?:\s+[^\W_]+){1,4}\s+"
    r"(?:to|that|if|when|who|for|how|whether)\b"
    r"|\b(?:time|day|date|year|month|late|early)\s+(?:is|was|will)\s+it\b"
    r"|\bit\s+(?:rains?|rained|snows?|snowed|depends|seems|appears|turns out|looks like"
    r"|sounds like|comes to|makes sense|takes|took|feels like|goes without|happens that|rain|snow)\b"
    r"|\b(?:does|did|will|would)\s+it\s+(?:rain|snow|take|cost|matter|feel|look|hurt|make sense)"
    r"(?:\s+[^\W_]+){0,3}\s+(?:to|if|that|when)\b|\b(?:will|does|did)\s+it\s+(?:rain|snow)\b"
    r"|\b(?:how|how['\u2019]s|how is)\s+it\s+going\b|\b(?:got|get|forget|take|worth|believe|make|made"
    r"|call|let|face|mind|screw|cut|beat|hold|leave|drop|do|did|doing)\s+it\b|\bthat['\u2019]s\s+it\b"
    r"|\bit\s+or\s+not\b|\bof\s+it\s+all\b|\bhow far is it (?:from|to)\b",
    re.IGNORECASE,
)
_OTHER_EMPTY = re.compile(
    r"\b(?:hi|hello|hey|out|over|up|down|in|hang|who['\u2019]s|isn['\u2019]t|aren['\u2019]t"
    r"|is|are|was|were|will|be|been|has|have|would)\s+there\b|\bthere\s+(?:is|are|was|were|will"
    r"|would|has|have|had|must|may|might|can|could|should|exists?|seems?|appears?|you|we|he|she)\b"
    r"|\bthere['\u2019]s\b|\bthere\s*,"
    r"|\bthat\s+(?:i|you|he|she|it|we|they|there|the|a|an|my|your|our|this|these|those)\b"
    r"|\b(?:like|do|did|doing|say|said|so|after|before|than|besides|despite|all|now|how['\u2019]s)"
    r"\s+(?:that|this)\b"
    r"|\b(?:is|was)\s+(?:that|this)\s+(?:all|ok|okay|so|right|correct|clear|it|you|a|an|the|my)\b"
    r"|\bthat(?:['\u2019]s|\s+(?:is|was))\s+(?:all|right|great|good|fine|ok|okay|nice|cool|why|how|it"
    r"|what|not|true|correct|wrong|enough|awesome|perfect|amazing|because|a|an|the|my|so|very)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:[?!.,;)…]|$|(?:please|and|or|but|again|now|exactly|too|then)\b)")
_LOOSE_END = re.compile(
    r"\s*(?:[?!.,;)…]|$|(?:please|and|or|but|again|now|in|on|at|for|with|by|during|if|when|from"
    r"|to|than|as|well|really|usually|today|tomorrow|next|this|last|because|also)\b)"
)
_VERB_AFTER = re.compile(
    r"(?:['\u2019]s|\s+(?:is|are|was|were|cost|costs|take|takes|work|works|mean|means|look|looks"
    r"|sound|sounds|has|have|had|do|does|did|can|could|will|would|should|might|happen|happened))\b",
    re.IGNORECASE,
)
_AUXILIARY_BEFORE = re.compile(rf"\b(?:{'|'.join(sorted(AUXILIARIES))})\s+$", re.IGNORECASE)
_OBJECT_BEFORE = re.compile(
    r"\b(?:about|of|for|with|from|on|to|in|into|by|near|at|is|are|was|were|cost|costs|mean|means|spell"
    r"|pronounce|use|buy|cook|bake|fix|install|remove|visit|read|watch|play|find|book|try|clean"
    r"|store|eat|open|close|sell|translate|explain|describe|summari[sz]e|compare|recommend"
    r"|add|make|change|update|show|see|get|remember|rank|sort)\s+$",
    re.IGNORECASE,
)
_WAY_BEFORE = re.compile(
    r"\b(?:go|goes|going|went|get|getting|got|travel|fly|flying|flights?|drive|driving|move|moved"
    r"|moving|come|trips?|way|trains?|bus|walk|cycle)\s+$",
    re.IGNORECASE,
)
_SHORT_VERB = re.compile(r"['\u2019]s(?=(?P<been>\s+(?:been|got|had)\b)?)", re.IGNORECASE)
_FOREIGN = re.compile(
    r"\b(?:kostet|kosten|liegt|heißt|funktioniert|bedeutet|gehört|schmeckt|dauert)\s+"
    r"(?P<german>es|das)(?=\s*[?.!]|$)"
    r"|\bwie\s+(?:alt|groß|hoch|teuer|lang|schwer)\s+(?:ist|war)\s+(?P<how>es|das)(?=\s*[?.!]|$)"
    r"|\b(?:cuesta|significa|funciona|es|está|sobre|de|hacer|con)\s+(?P<spanish>eso)(?=\s*[?.!]|$)"
    r"|\b(?:combien|comment|où|quand|que|sur|de|avec)\s+(?P<french>ça|cela)"
    r"(?=\s*[?.!]|$|\s+(?:coûte|marche|fonctionne|signifie|prend|dure))"
    r"|\b(?:coûte|marche|fonctionne|signifie)\s+(?P<after>ça|cela)\b",
    re.IGNORECASE,
)


def find(query: str, recent: Sequence[Exchange]) -> list[Edit]:
    """The pronouns of `query` that surely stand for one recent thing, with that thing."""
    referring = list(_referring(query))
    own = mentions.find(query) if referring else []
    sorts = {_SORTS[word] for _, _, word in referring}
    meant = {sort: salience.most_salient(sort, recent) for sort in sorts}
    edits: list[Edit] = []
    for start, end, word in referring:
        found = meant[_SORTS[word]]
        if found and found.is_sure and not _has_own(own, start, _SORTS[word]):
            edits.append(_edit(query, start, end, word, found))
    return edits


def guess(query: str, recent: Sequence[Exchange]) -> tuple[str, str] | None:
    """A pronoun of `query` and what it may stand for, where nothing is sure."""
    text = masked(query)
    empty = _empty_spans(text)
    for match in _PRONOUN.finditer(text):
        if not _is_in(empty, match.start()):
            found = salience.most_salient(_SORTS[_word(match)], recent)
            return (match[0], found.text) if found else None
    return None


def may_refer(query: str) -> bool:
    """Whether `query` has a word that can be such a pronoun."""
    return bool(_PRONOUN.search(query) or _FOREIGN.search(query))


def has_content(query: str) -> bool:
    """Whether `query` has a word of its own to search for."""
    words = re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)?", query.lower())
    return any(word.replace("\u2019", "'") not in EMPTY for word in words) or masked(query) != query


def _referring(query: str) -> Iterator[tuple[int, int, str]]:
    text = masked(query)
    for match in _FOREIGN.finditer(text):
        group = match.lastgroup or 0
        yield match.start(group), match.end(group), folded(match[group])
    if ":" in text or "\n" in text:
        # "Translate this: …" brings what it speaks of along.
        return
    empty = _empty_spans(text)
    for match in _PRONOUN.finditer(text):
        if not _is_in(empty, match.start()) and _refers(text, match):
            word = _word(match)
            yield match.start(), match.end() - len(match["is"] or ""), word


def _word(match: re.Match[str]) -> str:
    return folded(match[0][: len(match[0]) - len(match["is"] or "")])


def _empty_spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for form in (_EMPTY_IT, _OTHER_EMPTY) for match in form.finditer(text)]


def _is_in(spans: list[tuple[int, int]], at: int) -> bool:
    return any(start <= at < end for start, end in spans)


def _refers(text: str, match: re.Match[str]) -> bool:
    word = _word(match)
    before, end = text[: match.start()], match.end()
    if word == "there":
        return bool(before.strip()) and bool(_LOOSE_END.match(text, end))
    if word in {"that", "this", "those", "these"}:
        return _is_pronoun(text, before, match)
    return True


def _is_pronoun(text: str, before: str, match: re.Match[str]) -> bool:
    """Whether "that" stands alone: it is no conjunction, and no noun belongs to it."""
    is_plural = _word(match) in {"those", "these"}
    opens = not before.strip() or before.rstrip()[-1] in ",.;?!"
    if opens:
        return bool(match["is"] or _VERB_AFTER.match(text, match.end()))
    if match["is"]:
        return False
    if is_plural and re.search(r"\bof\s+$", before) and _VERB_AFTER.match(text, match.end()):
        return True
    if _AUXILIARY_BEFORE.search(before):
        return bool(_ENDS.match(text, match.end())) or (
            not is_plural and _takes_no_noun(text, match)
        )
    return bool(_OBJECT_BEFORE.search(before)) and bool(_ENDS.match(text, match.end()))


_PREDICATE = re.compile(
    r"\s+(?:cost|take|mean|work|look|include|have|need|happen|last|start|end|really|too|very|still"
    r"|more|so|also|expensive|cheap|cheaper|safe|far|near|open|free|possible|healthy|better|worth"
    r"|available|vegan|vegetarian|legal|normal|big|old|new|difficult|hard|easy|dangerous|good)\b",
    re.IGNORECASE,
)


def _takes_no_noun(text: str, match: re.Match[str]) -> bool:
    return bool(_PREDICATE.match(text, match.end()))


def _has_own(own: list[Mention], start: int, sort: Sort) -> bool:
    """Whether the query itself names, before the pronoun, what it may stand for."""
    return any(mention.end <= start and salience.fits(sort, mention) for mention in own)


def _edit(query: str, start: int, end: int, word: str, found: Found) -> Edit:
    text = found.text
    if word in _POSSESSIVE or (word == "her" and not _ENDS.match(query, end)):
        text += "'" if text.endswith("s") else "'s"
    elif word == "there":
        text = f"{_preposition(query[:start], found)}{text}"
    elif query[start].isupper() and not query[:start].strip():
        text = text[:1].upper() + text[1:]
    if short := _SHORT_VERB.match(query, end):
        return Edit(start, short.end(), f"{text} {'has' if short['been'] else 'is'}")
    return Edit(start, end, text)


def _preposition(before: str, found: Found) -> str:
    if re.search(r"\bfrom\s+$", before):
        return ""
    if _WAY_BEFORE.search(before):
        return "to "
    return "in " if found.is_name or "capital" in found.text else "at "
