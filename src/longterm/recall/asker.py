"""Whom a question is about: a person who is named, the one who asks, or the assistant."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

# Names that applications give to a role: nobody is called so.
ROLE_NAMES = frozenset({"user", "assistant", "human", "ai", "bot", "system", "model", "me", "you"})

_ASKER = re.compile(r"\b(?:I|my|me|mine|we|our|us)\b|\bI['\u2019]", re.IGNORECASE)

# "Did you recommend", "you told me", "your advice": but "do you know where I …" asks about me.
_ASSISTANT = re.compile(
    r"\b(?:did|had|have|were)\s+you\b(?!\s+(?:know|remember|recall))"
    r"|\byou(?:['\u2019](?:ve|d)|\s+have|\s+had)?\s+(?:\w+ly\s+)?(?:said|told|recommended|suggested"
    r"|gave|given|mentioned|explained|described|listed|wrote|proposed|advised|provided|shared"
    r"|showed|named|offered|came|made|helped|answered|called|put)\b"
    r"|\byour\s+(?:\w+\s+)?(?:advice|answer|recommendations?|suggestions?|list|explanation|reply"
    r"|response|recipe|plan|tips?|example|summary)\b",
    re.IGNORECASE,
)

_HIS = re.compile(r"\b(?:his|her|their)\b", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|she)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """About whom: speakers as the question names them, in order, or one of the two roles."""

    names: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    """The words by which it names them."""
    role: str = ""


def is_name(speaker: str | None) -> bool:
    """Whether a speaker is somebody, and not just a role."""
    name = (speaker or "").strip()
    return bool(name) and name.casefold() not in ROLE_NAMES


def read(query: str, speakers: Collection[str]) -> Asked:
    """Whom a query asks about; the first who is named is who it is about most."""
    found = sorted(
        (match.start(), name, match[0])
        for name in {name for name in speakers if is_name(name)}
        for match in _named(query, name)
    )
    if found:
        return Asked(
            names=tuple(dict.fromkeys(name for _, name, _ in found)),
            spoken=tuple(dict.fromkeys(spoken for _, _, spoken in found)),
        )
    if _ASSISTANT.search(query):
        return Asked(role="assistant")
    return Asked(role="user" if _ASKER.search(query) else "")


def in_first_person(query: str, asked: Asked) -> str:
    """The query as the person it is about would say it: people seldom say their own names.

    Measured: a vector of "What did Ana buy?" finds who talks *to* Ana; "What did I buy?" finds her.
    """
    if not asked.spoken:
        return query
    spoken = "|".join(re.escape(name) for name in sorted(asked.spoken, key=len, reverse=True))
    changed = re.sub(rf"(?<!\w)(?:{spoken})['\u2019]s(?!\w)", "my", query)
    changed = re.sub(rf"(?<!\w)(?:{spoken})(?!\w)", "I", changed)
    return _HE.sub("I", _HIS.sub("my", changed))


def _named(query: str, name: str) -> Iterator[re.Match[str]]:
    """Where a query names a speaker: in full, or by the first of several names."""
    first = name.split()[0]
    for form in {name.strip(), first if len(first) > 2 else name.strip()}:
        yield from re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", query, re.IGNORECASE)
