"""The embedder of the settings, and earlier ones whose vectors still serve."""

import asyncio
from collections.abc import Callable

from longterm.errors import InvalidInputError, SetupError
from longterm.providers.embedder import Embedder


class Embedders:
    """One embedder for new vectors, and others by their names while they are needed."""

    def __init__(self, current: Embedder, make: Callable[[str], Embedder]) -> None:
        self.current = current
        self._make = make
        self._others: dict[str, Embedder | None] = {}

    async def named(self, name: str) -> Embedder | None:
        """The embedder of that name; None where it can't be had any more."""
        if name == self.current.name:
            return self.current
        if name not in self._others:
            try:
                # It reads files.
                self._others[name] = await asyncio.to_thread(self._make, name)
            except (InvalidInputError, SetupError):
                self._others[name] = None
        return self._others[name]

    async def close(self) -> None:
        """Give back connections and memory."""
        await self.current.close()
        for other in self._others.values():
            if other is not None:
                await other.close()
