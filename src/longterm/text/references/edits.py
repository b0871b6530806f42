"""Changes of a query, and the parts of it that must stay."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# What is quoted, in brackets or an address is named there, not referred to. No alternative
# reads past the next of its own opening marks, so that a row of them stays linear.
_PROTECTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]"
    r"|(?<!\w)'[^'\n]+'(?!\w)|(?<!\w)\u2018[^\u2018\u2019\n]+\u2019(?!\w)"
    r"|\[[^\[\]\n]*\]|https?://\S+",
    re.DOTALL,
)
_ODD_LETTERS = str.maketrans({"\u017f": "s", "\u0131": "i"})
COVER = "\ue000"


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start` to `end` of a query give way to `text`."""

    start: int
    end: int
    text: str


def masked(text: str) -> str:
    """`text` with quotes, code, brackets and addresses covered, at the same length."""
    return _PROTECTED.sub(lambda match: COVER * len(match[0]), text)


def folded(word: str) -> str:
    """`word` in small letters, as our tables have them."""
    # Where case is ignored a pattern also takes the long s, the dotless i and the dotted I.
    return word.replace("\u0130", "i").lower().translate(_ODD_LETTERS)


def applied(query: str, edits: Sequence[Edit]) -> str:
    """`query` with all `edits`, which lie apart and in order."""
    parts: list[str] = []
    end = 0
    for edit in edits:
        parts += (query[end : edit.start], edit.text)
        end = edit.end
    return "".join((*parts, query[end:]))


def reason(query: str, edits: Sequence[Edit]) -> str:
    """What stands for what, in the order of the query, each once."""
    pairs = (f'{query[edit.start : edit.end]} → "{edit.text}"' for edit in edits)
    return "; ".join(dict.fromkeys(pairs))
