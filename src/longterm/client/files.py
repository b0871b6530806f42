"""A file that is sent: read as it is sent."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

from longterm.errors import InvalidInputError

_CHUNK = 65_536


def opened(path: str | Path) -> IO[bytes]:
    """Open a file; whoever asked for it closes it."""
    try:
        # Not a pipe or a device: who waits for one that nobody writes to waits for good.
        if Path(path).is_file():
            return Path(path).open("rb")
    except (OSError, ValueError):
        pass
    raise InvalidInputError("path must be the name of a file that can be read.")


def size_of(file: IO[bytes]) -> int:
    """Return how many bytes a file has."""
    return os.fstat(file.fileno()).st_size


async def chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Read a file in a thread, piece by piece."""
    while chunk := await asyncio.to_thread(file.read, _CHUNK):
        yield chunk
