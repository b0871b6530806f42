"""A client of OpenAI at our door: who it is, which user it means, and what it is answered."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from longterm.api.openai_errors import AS_IT_IS
from longterm.api.people import ME, Asked, in_header
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
from longterm.proxy.headers import Pairs
from longterm.proxy.remembering import Patience
from longterm.records.ids import named_id
from longterm.records.scope import Scope

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A request of a client, read and not answered yet."""

    process: Process
    asked: Asked
    headers: Headers
    body: Body
    began: float
    user: str | None
    conversation: str | None

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
        completions.check(self.body)
        relay = Relay(parts, Scope(self.asked.caller.tenant_id, self._user_id))
        request = self._request()
        memory = None
        patience = Patience(parts.aside, settings.proxy_patience_s)
        if request is None:
            await remembering.admit(relay, patience)
        else:
            memory = await remembering.remember(relay, request, patience)
        return await completions.answer(
            Call(body=self.body, headers=self._headers(), relay=relay, memory=memory)
        )

    async def passed_on(self, path: str) -> Reply:
        """Pass the request on as it is."""
        if self.process.upstream is None:
            raise UpstreamGoneError
        content = self.body.encoded()
        method = "POST" if content else "GET"
        return await passed_on(self.process.upstream, method, path, self._headers(), content)

    def _request(self) -> relay.Request | None:
        """What memory is asked for; None where it is switched off, or nothing was said."""
        switch = self.headers.get(MEMORY, "on").lower()
        if switch not in ("on", "off"):
            raise InvalidInputError(f"{MEMORY} must be on or off.")
        if switch == "off":
            self.asked.keep_answer(False)
            return None
        user_id = self._user_id
        if user_id is None:
            raise InvalidInputError(_WHO)
        limits = self.process.runtime.parts.rules.limits
        said = messages.entries(self.body.messages, most_bytes=limits.message_bytes)
        if not said:
            return None
        return relay.Request(
            user_id=user_id,
            entries=said,
            named=self._named(user_id),
            again=self.headers.get("x-stainless-retry-count", "0") != "0",
            waited_s=time.monotonic() - self.began,
        )

    @property
    def _user_id(self) -> str | None:
        return self.asked.id(self.user) or (ME if self._is_alone else None)

    @property
    def _is_alone(self) -> bool:
        return self.asked.caller.keyless

    def _named(self, user_id: str) -> str | None:
        """The conversation that is named: an application has ids of its own for them."""
        named = self.conversation
        return None if named is None else named_id(user_id, inputs.name(named, CONVERSATION))

    def _headers(self) -> Pairs:
        return headers.up(self.headers.raw, self._key())

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
    told = read.data.get("user")
    user = in_header(request, USER) or (told if isinstance(told, str) else None)
    # Refuses the key of one user for another, also where no memory is asked for.
    asked.id(user)
    return Client(
        process=process,
        asked=asked,
        headers=request.headers,
        body=read,
        began=state["began"],
        user=user,
        conversation=in_header(request, CONVERSATION),
    )


class Passed(StreamingResponse):
    """An answer that is handed on; when it is over, or nobody wants it, so is the call for it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.body, reply.status)
        self.raw_headers = reply.headers
        self._reply = reply

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Send it as it comes."""
        scope["state"][AS_IT_IS] = True
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._reply.close()


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
    return Passed(reply)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
