"""The part of a long text that bears on a question."""

from collections.abc import Collection, Sequence

from longterm.text import sentences, tokens, words

_CUT = "…"


def excerpt(text: str, terms: Collection[str], *, max_tokens: int) -> str:
    """The sentences around the one with most of the terms, whole where they fit."""
    if tokens.count(text) <= max_tokens:
        return text
    spans = sentences.split(text)
    if not spans:
        return _clipped(text, max_tokens)
    best = max(range(len(spans)), key=lambda place: (_matches(text, spans[place], terms), -place))
    first = last = best
    if _cost(text, spans, first, last) > max_tokens:
        return _clipped(text[spans[best][0] : spans[best][1]], max_tokens)
    grown = True
    while grown:
        grown = False
        # What follows a sentence explains it more often than what comes before.
        for start, end in ((first, last + 1), (first - 1, last)):
            if start >= 0 and end < len(spans) and _cost(text, spans, start, end) <= max_tokens:
                first, last, grown = start, end, True
                break
    return _cut_out(text, spans, first, last)


def _matches(text: str, span: tuple[int, int], terms: Collection[str]) -> int:
    return len(set(words.terms(text[span[0] : span[1]])) & set(terms))


def _cost(text: str, spans: Sequence[tuple[int, int]], first: int, last: int) -> int:
    return tokens.count(_cut_out(text, spans, first, last))


def _cut_out(text: str, spans: Sequence[tuple[int, int]], first: int, last: int) -> str:
    before = f"{_CUT} " if first > 0 else ""
    after = f" {_CUT}" if last < len(spans) - 1 else ""
    return f"{before}{text[spans[first][0] : spans[last][1]]}{after}"


def _clipped(text: str, max_tokens: int) -> str:
    """The beginning of a text, as far as it fits."""
    low, high = 0, min(len(text), max_tokens * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens.count(f"{text[:middle]}{_CUT}") <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low].rstrip()}{_CUT}"
