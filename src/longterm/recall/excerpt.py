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
    wanted = frozenset(terms)
    best = max(range(len(spans)), key=lambda place: (_matches(text, spans[place], wanted), -place))
    if _cost(text, spans, best, best) > max_tokens:
        return _clipped(text[spans[best][0] : spans[best][1]], max_tokens)
    return _cut_out(text, spans, *_grown(text, spans, best, max_tokens))


def _grown(
    text: str, spans: Sequence[tuple[int, int]], best: int, max_tokens: int
) -> tuple[int, int]:
    """The first and the last of the sentences around the best one that fit.

    Each is counted once, with the blanks after it: to count all of them again with each one would
    take time in proportion to the square of the text.
    """
    ends = [start for start, _ in spans[1:]] + [len(text)]
    costs = [tokens.count(text[start:end]) for (start, _), end in zip(spans, ends, strict=True)]
    first = last = best
    room = max_tokens - _cost(text, spans, best, best)
    while True:
        # What follows a sentence explains it more often than what comes before.
        if last + 1 < len(spans) and costs[last + 1] <= room:
            last += 1
            room -= costs[last]
        elif first > 0 and costs[first - 1] <= room:
            first -= 1
            room -= costs[first]
        else:
            break
    # Together they may have a few tokens more than apart.
    while first < last and _cost(text, spans, first, last) > max_tokens:
        first, last = (first, last - 1) if last > best else (first + 1, last)
    return first, last


def _matches(text: str, span: tuple[int, int], terms: frozenset[str]) -> int:
    return len(terms.intersection(words.terms(text[span[0] : span[1]])))


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
