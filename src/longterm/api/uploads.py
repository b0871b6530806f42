"""A file that is uploaded: written to disk as it comes, within a limit."""

import asyncio
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, cast

from fastapi import HTTPException, Request


async def receive(request: Request, *, max_bytes: int) -> Path:
    """Write the body of a request into a file, which whoever asked for it deletes."""
    file = await asyncio.to_thread(_new_file)
    path = Path(file.name)
    try:
        await _fill(file, request, max_bytes)
    except BaseException:
        # Also when the client goes away: nobody would delete it any more.
        file.close()
        await asyncio.to_thread(path.unlink)
        raise
    return path


async def _fill(file: IO[bytes], request: Request, max_bytes: int) -> None:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > max_bytes:
            detail = f"A file to import may have at most {max_bytes:,} bytes."
            raise HTTPException(413, detail, headers={"Connection": "close"})
        await asyncio.to_thread(file.write, chunk)
    await asyncio.to_thread(file.close)


def _new_file() -> IO[bytes]:
    return cast("IO[bytes]", NamedTemporaryFile("wb", prefix="longterm-", delete=False))
