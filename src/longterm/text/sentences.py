"""Where sentences begin and end."""

import re
from collections.abc import Iterator

# A fence opens at the start of a line and closes with a line of the same kind, or never.
_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)", re.MULTILINE)

_LINE = re.compile(r"[^\r\n\u2028\u2029]+")

_CLOSING = re.escape(")]\"'”\u2019»」』】〉》\uff09")

# Marks that end a sentence, with the quotes and brackets that close after them. Scripts that
# write no spaces need none here either. The look-behind keeps a long row of dots linear.
_STOP = re.compile(rf"(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s|$)|[。！？｡\u061f।॥]++[{_CLOSING}]*+")

_OPENING = "\"'“\u2018«([{*_-–— "

_ABBREVIATION = re.compile(
    r"mr|mrs|ms|mx|dr|prof|rev|hon|st|gen|col|capt|lt|sgt|gov|sen|rep|pres"
    r"|e\.g|i\.e|eg|ie|cf|vs|approx|ca|est|incl|resp|viz"
    r"|nr|vol|figs?|pp|ch|sec|eds|dept|univ|bros|ave|blvd|rd|mt|ft|tel|ext"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri"
    r"|z\.b|d\.h|u\.a|bzw|usw|evtl|ggf|vgl|abs|str|hr|fr|bspw|mme|mlle|sra|srta|dra"
)

# They end a sentence as often as they stand inside one: only a number after them goes on.
_OPEN_ABBREVIATION = re.compile(r"etc|al|inc|ltd|corp|co|jr|sr|no|ed|sat|min|max")

_WORD_BEFORE = re.compile(r"[^\s(\[\"'“\u2018«/]{1,24}$")
_INITIAL = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_LIST_NUMBER = re.compile(r"\s*(?:\d{1,3}|[a-zA-Z])")


def split(text: str) -> list[tuple[int, int]]:
    """The (start, end) of each sentence, in order, without the white space around it.

    A line's end ends a sentence: people who chat press return for that, not to wrap. A fenced
    block of code is one sentence. Everything that is not white space is in exactly one.
    """
    spans: list[tuple[int, int]] = []
    for start, end, is_code in _blocks(text):
        if is_code:
            spans += _trimmed(text, start, end)
            continue
        for line in _LINE.finditer(text, start, end):
            spans += _in_line(text, line.start(), line.end())
    return spans


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Prose and fenced code in turn, as (start, end, is code)."""
    prose = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            yield prose, fence.start(), False
            opening = fence
        elif fence[1] == opening[1]:
            newline = text.find("\n", fence.end())
            prose = len(text) if newline < 0 else newline
            yield opening.start(), prose, True
            opening = None
    if opening is None:
        yield prose, len(text), False
    else:
        yield opening.start(), len(text), True


def _in_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    line_start = start
    for stop in _STOP.finditer(text, start, end):
        if _is_end(text, line_start, stop, end):
            yield from _trimmed(text, start, stop.end())
            start = stop.end()
    yield from _trimmed(text, start, end)


def _is_end(text: str, line_start: int, stop: re.Match[str], line_end: int) -> bool:
    following = _first_of(text, stop.end(), line_end)
    if not following:
        return True
    if stop[0][0] in ".…" and following.islower():
        return False
    return stop[0] != "." or not _is_abbreviation(text, line_start, stop.start(), following)


def _is_abbreviation(text: str, line_start: int, dot: int, following: str) -> bool:
    if _LIST_NUMBER.fullmatch(text, line_start, dot):
        return True
    before = _WORD_BEFORE.search(text, max(line_start, dot - 24), dot)
    if before is None:
        return False
    word = before[0].lower()
    if _OPEN_ABBREVIATION.fullmatch(word):
        return following.isdigit()
    # "I" is the one letter that is a word at a sentence's end: "so do I."
    is_initial = before[0] != "I" and _INITIAL.fullmatch(before[0])
    return bool(is_initial or _ABBREVIATION.fullmatch(word))


def _first_of(text: str, start: int, end: int) -> str:
    """The first character of the next word, past quotes and brackets; "" at the line's end."""
    rest = text[start : min(end, start + 40)].lstrip()
    return rest.lstrip(_OPENING)[:1] or rest[:1]


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
