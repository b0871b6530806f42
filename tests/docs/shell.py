"""Runs shell with bash, in which programs that take seconds to load are doors into this process."""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

# -I and -S leave out what makes Python slow to start.
_DOOR = """#!{python} -IS
import json, os, socket, sys
call = {{"name": {name!r}, "args": sys.argv[1:], "env": dict(os.environ), "folder": os.getcwd()}}
with socket.create_connection(("127.0.0.1", {port})) as door:
    door.sendall(json.dumps(call).encode() + b"\\n")
    status, out, err = json.loads(door.makefile().readline())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(status)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A program as the shell called it."""

    name: str
    args: list[str]
    env: dict[str, str]
    folder: str


@dataclass(frozen=True, slots=True)
class Told:
    """How a program ended, and what it had to say."""

    status: int = 0
    out: str = ""
    err: str = ""


Program = Callable[[Call], Awaitable[Told]]


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder to work in, and an environment."""

    folder: Path
    env: Mapping[str, str]

    async def run(self, text: str, **more: str) -> Told:
        """Run lines of shell; what fails ends it."""
        process = await asyncio.create_subprocess_exec(
            "bash", "--norc", "-euo", "pipefail", "-c", text,
            cwd=self.folder, env={**self.env, **more}, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        return Told(process.returncode or 0, out.decode(), err.decode())


@asynccontextmanager
async def shell(
    folder: Path, programs: Mapping[str, Program], *paths: Path
) -> AsyncGenerator[Shell]:
    """Lend a shell that finds `programs` before any other, and then what is in `paths`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = Call(**json.loads(await reader.readline()))
        try:
            told = await programs[call.name](call)
        except Exception as error:  # noqa: BLE001
            # Told to the shell, whose block fails with it; nobody else waits for this task.
            told = Told(1, err="".join(traceback.format_exception(error)))
        writer.write(json.dumps([told.status, told.out, told.err]).encode() + b"\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, limit=1_000_000) as server:
        doors = folder / "doors"
        doors.mkdir()
        port = server.sockets[0].getsockname()[1]
        for name in programs:
            _put(doors / name, _DOOR.format(python=sys.executable, name=name, port=port))
        # An answer that tells of an error is one for curl, too.
        (folder / ".curlrc").write_text("fail-with-body\n")
        path = os.pathsep.join(map(str, (doors, *paths, os.environ["PATH"])))
        yield Shell(folder, {**os.environ, "PATH": path, "CURL_HOME": str(folder)})


def _put(path: Path, program: str) -> None:
    path.write_text(program)
    path.chmod(0o755)
