"""What Longterm asks of an embedder: texts in, vectors of one length out."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    `embed` raises `ModelGoneError` and `ModelRefusedError` as a language model does.
    """

    @property
    def name(self) -> str:
        """Vendor and model; vectors of two names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """How long each vector is."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, each of length 1."""
        ...

    async def close(self) -> None:
        """Give back connections and memory."""
        ...
