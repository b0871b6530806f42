"""Words as the search counts them: folded, cut in any script, reduced to their stems."""

import re
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
from typing import Protocol, cast
from unicodedata import normalize

from snowballstemmer.english_stemmer import EnglishStemmer  # pyright: ignore[reportMissingTypeStubs]

# Scripts that write no spaces between words: Han, kana, Thai, Lao, Khmer, Myanmar. Two
# neighbouring characters stand for a word there.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_ENDING = re.compile(r"(?<=[^\W_])'(?:s|re|ve|ll|d|m)\b|(?<=n)'(?=t\b)")

_LONGEST = 64

# The time to normalise a run of combining marks grows with the square of its length (100 kB of
# them took 8 s), so a text is normalised in pieces.
_PIECE = 500

_STOP_WORDS = """
    a an the of to in on at for from by with about as into is are was were be been being am do does
    did done has have had having i you he she it we they me him her us them my your his its our
    their this that these those and or but if so than then there here what which who whom whose
    when where why how can could would should will shall may might must not no nor yes any some
    also just very
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the package's own name


_stemmer = cast("_Stemmer", EnglishStemmer())
# The pure stemmer keeps the word it works on in itself, so two threads would mix theirs.
_stemming = Lock()


def terms(text: str) -> list[str]:
    """The stems of all words of `text`, in order; for the index and for queries."""
    return [stem(word) for word in _words(text)]


def query_terms(query: str) -> list[str]:
    """The different stems of a query without its stop words, unless it has no others."""
    found = list(_words(query))
    kept = [word for word in found if word not in STOP_WORDS] or found
    return list(dict.fromkeys(stem(word) for word in kept))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one folded word; what is no English word comes back as it is."""
    if not word.isascii() or not word.isalpha():
        return word
    with _stemming:
        return _stemmer.stemWord(word)


def folded(text: str) -> str:
    """`text` as words are compared: no capitals, one form of each character and apostrophe."""
    return text.casefold() if text.isascii() else _folded(text)


def _folded(text: str) -> str:
    folded_pieces = (
        normalize("NFKC", normalize("NFKC", piece).casefold()) for piece in _pieces(text)
    )
    return "".join(folded_pieces).translate(_APOSTROPHES)


def _pieces(text: str) -> Iterator[str]:
    """The text cut at blanks, where no character combines with the one before it.

    A word that is longer than a piece is cut where the piece ends.
    """
    start = 0
    while len(text) - start > _PIECE:
        blank = text.rfind(" ", start + 1, start + _PIECE)
        end = blank if blank > 0 else start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(_ENDING.sub("", folded(text))):
        word = match[0]
        if _IS_UNSPACED.match(word):
            yield from _pairs(word)
        else:
            yield word[:_LONGEST]


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]
