"""A client of OpenAI at our door: who it is, which user it means, and what it is answered."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse

from longterm.api.people import Asked
from longterm.api.process import Process
from longterm.api.wire.openai import CONVERSATION, MEMORY, UPSTREAM_KEY, USER
from longterm.errors import InvalidInputError
from longterm.memory import inputs, relay
from longterm.memory.keys import PREFIX
from longterm.memory.relay import Relay
from longterm.proxy import body, headers, messages, remembering
from longterm.proxy.body import Body
from longterm.proxy.completions import Call, Completions, Reply, passed_on
from longterm.proxy.errors import UpstreamGoneError
from longterm.proxy.remembering import Memory
from longterm.records.scope import Scope

# The user of somebody who uses Longterm alone, on the web page too.
_ALONE = "me"
_WHO = (
    f"Say whose memory it is: with this key, any user can be meant. Give `user`, or {USER}; "
    f"{MEMORY}: off does without."
)
_CIRCLE = (
    "This request comes from Longterm itself: LONGTERM_UPSTREAM_URL, LONGTERM_LLM_BASE_URL or "
    "OPENAI_BASE_URL must be the address of a server that has a model."
)
# Nobody reads this: the client is gone.
_CLIENT_GONE = 499


@dataclass(frozen=True, slots=True)
class Client:
    """A request of a client, read and not answered yet."""

    process: Process
    asked: Asked
    headers: Headers
    body: Body
    began: float

    async def complete(self) -> Reply:
        """Answer a chat completion."""
        settings, parts = self.process.runtime.settings, self.process.runtime.parts
        completions = Completions(
            upstream=self.process.upstream,
            aside=parts.aside,
            limits=parts.rules.limits,
            where=settings.upstream_memory,
            patience_s=settings.proxy_patience_s,
        )
        memory = await self._memory(settings.proxy_patience_s)
        return await completions.answer(
            Call(body=self.body, headers=self._headers(), memory=memory)
        )

    async def passed_on(self, path: str) -> Reply:
        """Pass the request on as it is."""
        if self.process.upstream is None:
            raise UpstreamGoneError
        content = self.body.encoded()
        method = "POST" if content else "GET"
        return await passed_on(self.process.upstream, method, path, self._headers(), content)

    async def _memory(self, patience_s: float) -> Memory | None:
        switch = self.headers.get(MEMORY, "on").lower()
        if switch not in ("on", "off"):
            raise InvalidInputError(f"{MEMORY} must be on or off.")
        user_id = self.asked.id(self.named) or (_ALONE if self._is_alone else None)
        if switch == "off":
            self.asked.keep_answer(False)
            return None
        if user_id is None:
            raise InvalidInputError(_WHO)
        parts = self.process.runtime.parts
        said = messages.entries(self.body.messages, most_bytes=parts.rules.limits.message_bytes)
        if not said:
            return None
        request = relay.Request(
            user_id=user_id,
            entries=said,
            named=self._conversation(user_id),
            again=self.headers.get("x-stainless-retry-count", "0") != "0",
            waited_s=time.monotonic() - self.began,
        )
        scope = Scope(self.asked.caller.tenant_id, user_id)
        return await remembering.remember(Relay(parts, scope), request, patience_s=patience_s)

    @property
    def _is_alone(self) -> bool:
        return self.asked.caller.keyless

    @property
    def named(self) -> str | None:
        """The user of the header, or else of the body."""
        told = _decoded(self.headers.get(USER)) or self.body.data.get("user")
        return told if isinstance(told, str) else None

    def _conversation(self, user_id: str) -> str | None:
        named = _decoded(self.headers.get(CONVERSATION))
        if named is None:
            return None
        named = inputs.name(named, CONVERSATION)
        try:
            return str(UUID(named))
        except ValueError:
            # An application has ids of its own: each stands for one of ours, of this user.
            tenant_id = self.asked.caller.tenant_id
            return str(uuid5(NAMESPACE_URL, f"longterm:{tenant_id}:{user_id}:{named}"))

    def _headers(self) -> dict[str, str]:
        return headers.up(self.headers.items(), self._key())

    def _key(self) -> str | None:
        """The key for the model's server: the client's own, else ours, else what a client sent.

        What a client sent is taken only where no keys of Longterm exist: it can't be one then.
        """
        own = self.headers.get(UPSTREAM_KEY)
        configured = None if self.process.upstream is None else self.process.upstream.key
        if own or configured or not self._is_alone:
            return own or configured
        scheme, _, secret = self.headers.get("authorization", "").partition(" ")
        usable = scheme.lower() == "bearer" and secret and not secret.startswith(PREFIX)
        return secret.strip() if usable else None


def client_of(request: Request, asked: Asked, process: Process) -> Client:
    """Read a request; raises `InvalidInputError` where its body is no JSON object."""
    if headers.RELAYED in request.headers:
        # Also when OPENAI_BASE_URL was set for an application and is read by the server, too.
        raise InvalidInputError(_CIRCLE)
    state: dict[str, Any] = request.scope["state"]
    raw: bytes = state.get("body", b"")
    read = body.read(raw) if request.method == "POST" else Body(text="", data={}, places=())
    client = Client(process, asked, request.headers, read, state["began"])
    # Refuses the key of one user for another, also where no memory is asked for.
    asked.id(client.named)
    return client


async def answered(request: Request, work: Coroutine[Any, Any, Reply]) -> Response:
    """Answer as the model's server does; when the client goes away first, its call ends."""
    making = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({making, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not making.done():
            return Response(status_code=_CLIENT_GONE)
        reply = await making
    finally:
        making.cancel()
        leaving.cancel()
    return StreamingResponse(reply.body, reply.status, headers=reply.headers)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _decoded(value: str | None) -> str | None:
    """A header as UTF-8, where it is; the framework reads Latin-1."""
    if value is None:
        return None
    try:
        return value.encode("latin-1").decode()
    except ValueError:
        return value
