"""A bounded memory of the vectors of the latest texts."""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

from longterm.providers.embedder import Vectors


class Recent:
    """The vectors of the `size` texts used last; it keeps no text, only hashes."""

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str) -> Vectors | None:
        """What was put for this text, as a copy."""
        key = _key(text)
        with self._lock:
            vectors = self._vectors.get(key)
            if vectors is None:
                return None
            self._vectors.move_to_end(key)
            return vectors.copy()

    def put(self, text: str, vectors: Vectors) -> None:
        """Keep a copy, in place of the one that was not used for longest."""
        key = _key(text)
        with self._lock:
            self._vectors[key] = vectors.copy()
            self._vectors.move_to_end(key)
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)

    def __len__(self) -> int:
        return len(self._vectors)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
