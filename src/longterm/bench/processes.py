"""Servers and commands as processes of their own."""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

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


# A process begins with the size of the one that starts it, as far as the kernel tells: hence one
# between, which is small.
_MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A command that has ended: what it said, how long it took, and its memory at most."""

    status: int
    said: str
    complaint: str
    seconds: float
    resident_bytes: int


async def longterm_command(*arguments: str, conninfo: str, folder: str) -> Finished:
    """Run a command of `longterm` on a database; what it keeps goes to `folder`."""
    settings = {
        "LONGTERM_DATABASE_URL": conninfo,
        "LONGTERM_DATA_DIR": folder,
        "LONGTERM_LLM": "offline",
    }
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _MEASURED, sys.executable, "-m", "longterm", *arguments),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env=_environment(settings),
        # Who gives up gives up both processes.
        start_new_session=True,
    )
    try:
        said, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    seconds = time.perf_counter() - started
    *lines, resident = complaint.decode(errors="replace").strip().splitlines()
    return Finished(
        status=process.returncode or 0,
        said=said.decode(),
        complaint="\n".join(lines),
        seconds=seconds,
        resident_bytes=int(resident) * (1 if sys.platform == "darwin" else 1024),
    )


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    # Of the settings of whoever measures, none may change what is measured.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LONGTERM_")}
    return {**kept, **settings}


@asynccontextmanager
async def _running(
    module: str, *arguments: str, said: bytes = b"", environment: Mapping[str, str] | None = None
) -> AsyncGenerator[str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=_environment(environment or {}),
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
