"""A chat completion: the request goes on with memory in it, and what is said is kept."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from longterm.errors import InvalidInputError, UnavailableError
from longterm.memory.aside import Aside
from longterm.memory.inputs import Limits
from longterm.memory.relay import Relay
from longterm.proxy import headers, inserting, messages, offline, remembering
from longterm.proxy.body import Body
from longterm.proxy.headers import Pairs
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
    headers: Pairs
    relay: Relay
    memory: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: its body comes as it comes, from the `response` of the model's server."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: AsyncGenerator[bytes]
    response: httpx.Response | None = None

    async def close(self) -> None:
        """Let go of it, also where nobody has begun to read it."""
        await self.body.aclose()
        if self.response is not None:
            await self.response.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """Answers chat completions, by way of a model's server or from memory alone."""

    upstream: Upstream | None
    aside: Aside
    limits: Limits
    where: Where
    patience_s: float

    def check(self, body: Body) -> None:
        """Refuse what memory alone can't answer; the model's server refuses for itself."""
        well_formed = body.messages and all(isinstance(one, dict) for one in body.messages)
        if self._serves(body) is None and not well_formed:
            raise InvalidInputError("messages must be a list of at least one message.")

    async def answer(self, call: Call) -> Reply:
        """Pass a request on; the headers tell which memories went with it."""
        memory = call.memory
        ours = {} if memory is None else memory.headers()
        upstream = self._serves(call.body)
        if upstream is None:
            return self._from_memory(call, ours)
        added: list[tuple[int, dict[str, Any]]] = []
        if memory is not None and memory.found is not None:
            added = inserting.inserted(call.body.messages, memory.found, where=self.where)
        response = await upstream.send(
            "POST", PATH, headers=call.headers, content=call.body.encoded(added)
        )
        passed = headers.down(response.headers.raw, ours)
        body = self._heard(call, response) if response.status_code == _OK else pieces(response)
        return Reply(status=response.status_code, headers=passed, body=body, response=response)

    def _serves(self, body: Body) -> Upstream | None:
        """Who answers; None is memory alone."""
        return None if body.data.get("model") == offline.MODEL else self.upstream

    def _from_memory(self, call: Call, ours: dict[str, str]) -> Reply:
        found = None if call.memory is None else call.memory.found
        answer = offline.answer(call.body, None if found is None else found.recall)
        kind = "text/event-stream; charset=utf-8" if call.body.streams else "application/json"
        return Reply(
            status=_OK,
            headers=list(headers.encoded({"content-type": kind, **ours}).items()),
            body=self._listened(call, _each(answer), streams=call.body.streams),
        )

    def _heard(self, call: Call, response: httpx.Response) -> AsyncGenerator[bytes]:
        # Not every server can stream, whatever it was asked for.
        streams = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        return self._listened(call, pieces(response), streams=streams)

    async def _listened(
        self, call: Call, coming: AsyncGenerator[bytes], *, streams: bool
    ) -> AsyncGenerator[bytes]:
        """Hand the answer on as it comes, and keep it; when the client goes away, what came."""
        hearing = Hearing(streams=streams)
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
            # In a task of its own: whoever listened may have gone, and taken this one along.
            keeping = self._keep(call, hearing)
        # So that a client that goes on at once finds its answer stored; not while nothing can be.
        if call.memory is None or call.memory.followed is not None:
            await asyncio.wait({keeping}, timeout=self.patience_s)

    def _keep(self, call: Call, hearing: Hearing) -> "asyncio.Task[None]":
        entry = messages.answer(
            hearing.message(),
            most_bytes=self.limits.message_bytes,
            partial=not hearing.is_done,
            model=hearing.model,
        )
        # Memory alone costs nothing.
        usage = None if entry.model == offline.MODEL else hearing.usage
        return self.aside.run(remembering.keep_answer(call.relay, call.memory, entry, usage))


async def passed_on(
    upstream: Upstream, method: str, path: str, given: Pairs, content: bytes
) -> Reply:
    """Ask the model's server for something that memory has nothing to do with."""
    response = await upstream.send(method, path, headers=given, content=content)
    return Reply(
        status=response.status_code,
        headers=headers.down(response.headers.raw, {}),
        body=pieces(response),
        response=response,
    )


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
    # The line before may be all that came of its event.
    return f"\ndata: {json.dumps(told)}\n\n".encode()
