"""What models are told: text files, and the hash by which a fact knows what made it."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal

Name = Literal["extract", "summarise", "title"]


@dataclass(frozen=True, slots=True)
class Instructions:
    """The text of a prompt, and a short hash of it."""

    text: str
    hash: str


@cache
def load(name: Name) -> Instructions:
    """Read a prompt; the first time from a file, so not on the event loop."""
    text = (
        files("longterm.learn.prompts").joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
    )
    return Instructions(text, sha256(text.encode()).hexdigest()[:12])
