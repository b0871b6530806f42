"""A file that is uploaded: written to disk as it comes, within a limit."""

import asyncio
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from fastapi import HTTPException, Request
from starlette.types import Scope

from longterm.errors import UnavailableError

# What errors call it: its own name stayed with whoever sent it.
_NAME = "The file"


def is_upload(scope: Scope) -> bool:
    """Whether a request brings a file, which its route reads as it comes."""
    return scope["path"].startswith("/api/users/") and scope["path"].endswith("/import")


async def receive(request: Request, *, max_bytes: int) -> Path:
    """Write the body of a request into a file, which whoever asked for it discards."""
    try:
        return await _kept(request, max_bytes)
    except OSError as error:
        raise UnavailableError(f"The file can't be kept here: {error.strerror}.") from error


async def _kept(request: Request, max_bytes: int) -> Path:
    path = Path(await asyncio.to_thread(mkdtemp, prefix="longterm-")) / _NAME
    try:
        with await asyncio.to_thread(path.open, "wb") as file:
            await _fill(file, request, max_bytes)
    except BaseException:
        # Also when the client goes away: nobody would delete it any more.
        await discard(path)
        raise
    return path


async def discard(path: Path) -> None:
    """Delete a file that was received."""
    await asyncio.to_thread(shutil.rmtree, path.parent, ignore_errors=True)


async def _fill(file: IO[bytes], request: Request, max_bytes: int) -> None:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= max_bytes:
            await asyncio.to_thread(file.write, chunk)
        # Until then read and not kept: who is cut off while sending does not see the answer.
        elif size > 2 * max_bytes:
            break
    if size > max_bytes:
        detail = f"A file to import may have at most {max_bytes:,} bytes."
        raise HTTPException(413, detail, headers={"Connection": "close"})
    await asyncio.to_thread(file.flush)
