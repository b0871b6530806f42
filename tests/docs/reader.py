"""Somebody who reads a page from top to bottom, and does what it says."""

import asyncio
import io
import json
import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from longterm import AsyncTenant, Settings
from longterm.api.app import create_app
from longterm.records.key import KeyScope
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import binaries
from tests.docs.blocks import RUN, Block, blocks_of
from tests.docs.programs import PROGRAMS, SETTINGS, longterm, tools_at
from tests.docs.shell import Call, Shell, shell
from tests.proxy.upstream import serving

# Settings of whoever runs the tests; the journal's folder is ours.
_OTHERS = (SETTINGS | {"DATABASE_URL"}) - {"LONGTERM_JOURNAL_DIR"}
_ADDRESS = re.compile(r"(http://127\.0\.0\.1:8765|https://memory\.example)\b")


@dataclass
class Reader:
    """A folder, an empty database, and a server on it that works in the background, too."""

    shell: Shell
    url: str
    memory: AsyncTenant
    variables: dict[str, str] = field(default_factory=dict[str, str])
    key_of: tuple[KeyScope, str | None] = ("app", None)
    _key: str = ""

    async def follow(self, page: str) -> str:
        """Do what the blocks of a page say, and return what they print."""
        return "".join([await self.do(block) for block in blocks_of(page)])

    async def do(self, block: Block) -> str:
        """Do what a block says, unless it is only there to be looked at."""
        if block.language not in RUN:
            return ""
        steps = {"python": self._python, "sh": self._sh, "json": self._json}
        return await steps[block.language](block.place, await self._here(block.text))

    async def run(self, name: str, program: str) -> str:
        """Run a program and return what it prints."""
        step = self._sh if name.endswith(".sh") else self._python
        return await step(name, await self._here(program))

    async def _here(self, text: str) -> str:
        """A text with the address of this server, and with a key where one is needed."""
        if "lt_…" in text and not self._key:
            self._key = (await self.memory.create_key("docs", *self.key_of)).secret
        text = text.replace("localhost:8765", "127.0.0.1:8765").replace("lt_…", self._key)
        text = re.sub(r"(?<!//)127\.0\.0\.1:8765", "http://127.0.0.1:8765", text)
        return _ADDRESS.sub(self.url, text)

    async def _python(self, place: str, text: str) -> str:
        return await asyncio.to_thread(_executed, compile(text, place, "exec"))

    async def _sh(self, place: str, text: str) -> str:
        told = await self.shell.run(text, **self.variables)
        assert told.status == 0, f"{place}: {told.out}{told.err}"
        return told.out

    async def _json(self, place: str, text: str) -> str:
        """What is written into the configuration of an agent's program."""
        given = json.loads(text)
        assert list(given) == ["mcpServers"], f"{place}: nobody knows how to run this"
        (server,) = given["mcpServers"].values()
        if "url" in server:
            return await tools_at(server["url"], server["headers"])
        assert server["command"] == "longterm", place
        told = await longterm(Call(name="longterm", args=server["args"], env={}, folder="/"))
        return told.out


def _executed(code: object) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(code, {"__name__": "__main__"})  # pyright: ignore[reportArgumentType]
    return out.getvalue()


@asynccontextmanager
async def reading(database: str, folder: Path, **settings: object) -> AsyncGenerator[Reader]:
    """Lend a reader with a database; what he starts finds it in the environment."""
    programs = await asyncio.to_thread(lambda: binaries.find().folder / "bin")
    with pytest.MonkeyPatch.context() as patch:
        for name in _OTHERS & os.environ.keys():
            patch.delenv(name)
        patch.setenv("LONGTERM_DATABASE_URL", database)
        made = create_app(Runtime(Settings(**settings)))  # pyright: ignore[reportArgumentType]
        async with shell(folder, PROGRAMS, programs) as opened, serving(made) as url:
            running: Runtime = made.state.process.runtime
            yield Reader(opened, url, running.tenant(Scope(1)))
