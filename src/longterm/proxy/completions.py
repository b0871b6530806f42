"""A chat completion: the request goes on with memory in it, and what is said is kept."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from longterm.errors import InvalidInputError, UnavailableError
from longterm.memory.aside import Aside
from longterm.memory.inputs import Limits
from longterm.proxy import headers, inserting, messages, offline, remembering
from longterm.proxy.body import Body
from longterm.proxy.hearing import Hearing
from longterm.proxy.inserting import Where
from longterm.proxy.remembering import Memory
from longterm.proxy.upstream import Upstream, pieces

PATH = "/chat/completions"

_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request of a client, with the headers that go up and the key for them."""

    body: Body
    headers: dict[str, str]
    memory: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: its body comes as it comes."""

    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """Answers chat completions, by way of a model's server or from memory alone."""

    upstream: Upstream | None
    aside: Aside
    limits: Limits
    where: Where
    patience_s: float

    async def answer(self, call: Call) -> Reply:
        """Pass a request on; the headers tell which memories went with it."""
        memory = call.memory
        ours = {} if memory is None else memory.headers()
        if self.upstream is None or call.body.data.get("model") == offline.MODEL:
            return self._from_memory(call, ours)
        added: list[tuple[int, dict[str, Any]]] = []
        if memory is not None and memory.found is not None:
            added = inserting.inserted(call.body.messages, memory.found, where=self.where)
        response = await self.upstream.send(
            "POST", PATH, headers=call.headers, content=call.body.encoded(added)
        )
        passed = headers.down(response.headers.multi_items(), ours)
        body = self._heard(call, response) if response.status_code == _OK else _plain(response)
        return Reply(status=response.status_code, headers=passed, body=body)

    def _from_memory(self, call: Call, ours: dict[str, str]) -> Reply:
        if not call.body.messages or not all(isinstance(one, dict) for one in call.body.messages):
            raise InvalidInputError("messages must be a list of at least one message.")
        found = None if call.memory is None else call.memory.found
        answer = offline.answer(call.body, None if found is None else found.recall)
        kind = "text/event-stream; charset=utf-8" if call.body.streams else "application/json"
        return Reply(
            status=_OK,
            headers={"content-type": kind, **ours},
            body=self._listened(call, _each(answer), streams=call.body.streams),
        )

    def _heard(self, call: Call, response: httpx.Response) -> AsyncGenerator[bytes]:
        # Not every server can stream, whatever it was asked for.
        streams = response.headers.get("content-type", "").startswith("text/event-stream")
        return self._listened(call, pieces(response), response, streams=streams)

    async def _listened(
        self,
        call: Call,
        coming: AsyncGenerator[bytes],
        response: httpx.Response | None = None,
        *,
        streams: bool,
    ) -> AsyncGenerator[bytes]:
        """Hand the answer on as it comes, and keep it; when the client goes away, what came."""
        hearing = Hearing(streams=streams)
        keeping: asyncio.Task[None] | None = None
        try:
            async with aclosing(coming):
                async for piece in coming:
                    hearing.hear(piece)
                    yield piece
            hearing.end()
        except UnavailableError as error:
            if not (streams and hearing.between_events):
                raise
            yield _error_event(error)
        finally:
            # In tasks of their own: whoever listened may have gone, and taken this one along.
            if response is not None:
                self.aside.run(response.aclose())
            keeping = self._keep(call, hearing)
        if keeping is not None:
            # So that a client that goes on at once finds its answer stored.
            await asyncio.wait({keeping}, timeout=self.patience_s)

    def _keep(self, call: Call, hearing: Hearing) -> "asyncio.Task[None] | None":
        if call.memory is None:
            return None
        entry = messages.answer(
            hearing.message(),
            most_bytes=self.limits.message_bytes,
            partial=not hearing.is_done,
            model=hearing.model,
        )
        kept: Coroutine[Any, Any, None] = remembering.keep_answer(call.memory, entry, hearing.usage)
        return self.aside.run(kept)


async def passed_on(
    upstream: Upstream, method: str, path: str, given: dict[str, str], content: bytes
) -> Reply:
    """Ask the model's server for something that memory has nothing to do with."""
    response = await upstream.send(method, path, headers=given, content=content)
    passed = headers.down(response.headers.multi_items(), {})
    return Reply(status=response.status_code, headers=passed, body=_plain(response))


async def _plain(response: httpx.Response) -> AsyncGenerator[bytes]:
    """An answer that is not kept, such as an error."""
    try:
        async for piece in pieces(response):
            yield piece
    finally:
        await response.aclose()


async def _each(parts: list[bytes]) -> AsyncGenerator[bytes]:
    for part in parts:
        yield part


def _error_event(error: UnavailableError) -> bytes:
    told = {
        "error": {
            "message": str(error),
            "type": "upstream_error",
            "param": None,
            "code": "upstream_interrupted",
        }
    }
    return f"data: {json.dumps(told)}\n\n".encode()
