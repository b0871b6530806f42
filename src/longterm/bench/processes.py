"""Servers as processes of their own."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from longterm.errors import SetupError


@asynccontextmanager
async def longterm_server(conninfo: str, folder: str) -> AsyncGenerator[str]:
    """Run `longterm serve` on a database, without a model; what it keeps goes to `folder`.

    No worker: what is learned in the background would be measured with the next request.
    """
    settings = {
        "LONGTERM_DATABASE_URL": conninfo,
        "LONGTERM_DATA_DIR": folder,
        "LONGTERM_HOST": "127.0.0.1",
        "LONGTERM_PORT": "0",
        "LONGTERM_LLM": "offline",
        "LONGTERM_WORKER": "false",
    }
    async with _running("longterm", "serve", environment=settings) as url:
        yield url


@asynccontextmanager
async def plain_server(body: bytes) -> AsyncGenerator[str]:
    """Run a FastAPI route that returns `body` from memory."""
    async with _running("longterm.bench.plain", said=body) as url:
        yield url


@asynccontextmanager
async def _running(
    module: str, *arguments: str, said: bytes = b"", environment: Mapping[str, str] | None = None
) -> AsyncGenerator[str]:
    # Of the settings of whoever measures, none may change what is measured.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LONGTERM_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={**kept, **(environment or {})},
    )
    try:
        yield await _address(process, said)
    finally:
        process.terminate()
        await process.wait()


async def _address(process: asyncio.subprocess.Process, said: bytes) -> str:
    """Return the address that a server tells in its first line."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("both are pipes")
    process.stdin.write(said)
    process.stdin.write_eof()
    line = (await process.stdout.readline()).decode()
    if "http://" not in line:
        raise SetupError("The server that was to be measured did not start.")
    return line.split()[-1]
