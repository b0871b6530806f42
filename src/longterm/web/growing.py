"""A text that grows, as blocks of HTML: only what changed is rendered and told."""

from dataclasses import dataclass

from longterm.web import markdown


@dataclass(frozen=True, slots=True)
class Change:
    """The blocks from `start` on are replaced by these."""

    start: int
    html: tuple[str, ...]


class Growing:
    """What was shown of a text so far."""

    def __init__(self) -> None:
        self._settled: list[str] = []
        self._open: list[str] = []
        self._offset = 0

    def grow(self, text: str) -> Change | None:
        """Render the whole text so far; None where nothing looks different."""
        text = markdown.normal(text)
        tail = text[self._offset :]
        shown = markdown.blocks(tail)
        first = len(self._settled) + _first_difference(self._open, shown)
        known = len(self._settled) + len(self._open)
        rest = tuple(shown[first - len(self._settled) :])
        self._open = shown
        self._settle(tail)
        return Change(first, rest) if rest or first < known else None

    def _settle(self, tail: str) -> None:
        """Look no more at blocks that no further word can change.

        A line that ended can't change, so a block is over as soon as such a line began another.
        """
        ended = tail[: tail.rfind("\n") + 1]
        starts = markdown.block_starts(ended)
        if len(starts) < 2:
            return
        over = len(starts) - 1
        self._settled += self._open[:over]
        self._open = self._open[over:]
        lines = ended.split("\n")
        self._offset += sum(len(line) + 1 for line in lines[: starts[-1]])


def _first_difference(before: list[str], after: list[str]) -> int:
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return index
    return min(len(before), len(after))
