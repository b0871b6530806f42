"""The code blocks of the documents."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(
    sorted(str(page.relative_to(ROOT)) for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
)

# What is done, and what is only looked at: pictures, output, excerpts of files.
RUN = frozenset({"json", "python", "sh"})
SHOWN = frozenset({"text"})

_FENCE = re.compile(r"^ *```(?P<language>[^\n`]*)\n(?P<text>.*?)^ *```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block, and where it stands."""

    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Where an editor finds it."""
        return f"{self.page}:{self.line}"


@cache
def blocks_of(page: str) -> tuple[Block, ...]:
    """The blocks of a page, from top to bottom."""
    text = (ROOT / page).read_text()
    return tuple(
        Block(page, text.count("\n", 0, found.start()) + 1, found["language"], found["text"])
        for found in _FENCE.finditer(text)
    )


def runs(page: str) -> bool:
    """Whether there is anything to do on a page."""
    return any(block.language in RUN for block in blocks_of(page))
