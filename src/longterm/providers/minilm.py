"""all-MiniLM-L6-v2 on this machine, with onnxruntime; loaded by `local` at first use."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from longterm.errors import SetupError
from longterm.providers.embedder import Vectors

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_MOST_TOKENS = 256
# More than 256 tokens have; tokenising a megabyte takes half a second.
_MOST_CHARACTERS = 10_000

Tokens = list[int]


class MiniLM:
    """Tokenizer and network; every method may be called by several threads at once."""

    def __init__(self, model: Path, tokenizer: Path, *, threads: int) -> None:
        self._tokenizer = _tokenizer(_checked(tokenizer, _TOKENIZER_SHA256))
        self._session = _session(_checked(model, _MODEL_SHA256), threads=threads)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, cut where the model ends."""
        encodings = self._tokenizer.encode_batch_fast([_readable(text) for text in texts])
        return [encoding.ids for encoding in encodings]

    def vectors(self, batch: Sequence[Tokens]) -> Vectors:
        """One vector of length 1 for each text of a batch."""
        longest = max(len(tokens) for tokens in batch)
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return _pooled(self._run(ids, mask), mask)

    def _run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        (hidden,) = self._session.run(
            None,
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        return hidden


def _tokenizer(content: bytes) -> Tokenizer:
    tokenizer = Tokenizer.from_str(content.decode())
    # The file sets 128 for both.
    tokenizer.no_padding()
    cast("Any", tokenizer).enable_truncation(_MOST_TOKENS)
    return tokenizer


# onnxruntime has no types.
def _session(content: bytes, *, threads: int) -> Any:
    runtime = cast("Any", onnxruntime)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _pooled(hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> Vectors:
    weights = mask[:, :, None].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)


def _readable(text: str) -> str:
    # Half a surrogate pair is a TypeError in the tokenizer.
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _checked(path: Path, expected: str) -> bytes:
    # 26 ms of the 230 that loading takes.
    content = path.read_bytes()
    if sha256(content).hexdigest() != expected:
        raise SetupError(f"The file {path.name} of the local embedder is not the expected one.")
    return content
