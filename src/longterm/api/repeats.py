"""`Idempotency-Key`: a POST that carries one is done once, however often it is sent."""

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Awaitable
from datetime import timedelta

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import Caller, caller_of, is_openai
from longterm.api.people import USER_HEADER
from longterm.api.problems import problem
from longterm.api.process import Process
from longterm.errors import DatabaseGoneError, OutcomeUnknownError, UnavailableError
from longterm.memory import repeated
from longterm.memory.idempotency import Idempotency
from longterm.observe.log import get_logger
from longterm.records.idempotency import Attempt, KeptAnswer
from longterm.records.ids import new_id
from longterm.records.scope import Scope as Confines

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"

_CHAT = frozenset({"/chat", "/api/chat", "/api/chat/stream"})
_VISIBLE = re.compile(r"[\x21-\x7e]{1,255}")
# Of a new key only the hash is kept, and so not its secret in an answer.
_SECRET = re.compile(rb'("secret": ?")lt_[^"]*')
# What a request may take beyond its deadline: it is only then that it certainly ended.
_MARGIN = timedelta(seconds=30)

# A connection that breaks is replaced within a second; after a longer outage the lease runs out.
_ABANDON_EVERY_S = 0.25
_ABANDON_TRIES = 40

_log = get_logger(__name__)


class Repeats:
    """Keeps the answer of each such request, and gives it again to whoever asks again."""

    def __init__(self, app: ASGIApp, *, process: Process) -> None:
        self._app = app
        self._process = process
        self._lease = timedelta(seconds=process.runtime.settings.request_timeout_s) + _MARGIN

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, or answer as it was answered before."""
        caller = caller_of(scope)
        posts = scope["type"] == "http" and scope["method"] == "POST"
        key = Headers(scope=scope).get(HEADER) if posts else None
        if caller is None or key is None:
            return self._app(scope, receive, send)
        return self._once(scope, receive, send, caller, key)

    async def _once(
        self, scope: Scope, receive: Receive, send: Send, caller: Caller, key: str
    ) -> None:
        if not _VISIBLE.fullmatch(key):
            refusal = problem(422, f"{HEADER} must be 1 to 255 visible ASCII characters.")
            await refusal(scope, receive, send)
            return
        attempt = _attempt(caller, key, scope)
        try:
            kept = await self._operations(caller).begin(attempt, lease=self._lease)
        except UnavailableError as error:
            if not _is_answered(scope["path"], error):
                raise
            # The model answers all the same; the journal holds what is said under these ids once.
            with repeated.request(attempt.name):
                await self._app(scope, receive, send)
            return
        if kept is not None:
            await _again(kept, attempt)(scope, receive, send)
            return
        await self._first(scope, receive, send, attempt)

    async def _first(self, scope: Scope, receive: Receive, send: Send, attempt: Attempt) -> None:
        answer = _Answer(send)
        try:
            with repeated.request(attempt.name):
                await self._app(scope, receive, answer.send)
        except BaseException:
            # Also when cancelled: nothing was answered, so the next one may try.
            await asyncio.shield(self._settle(scope, attempt, None))
            raise
        # What leaves nothing behind leaves no answer, either: asked again, it is done again.
        is_kept = answer.is_done and scope["state"].get("keep_answer", True)
        await self._settle(scope, attempt, answer if is_kept else None)
        await answer.release()

    async def _settle(self, scope: Scope, attempt: Attempt, answer: "_Answer | None") -> None:
        """Keep an answer that tells of something done; else give the key back."""
        caller = caller_of(scope)
        if caller is None:
            raise AssertionError("somebody began this")
        if answer is None:
            await self._abandon(caller, attempt)
            return
        try:
            await self._operations(caller).finish(
                attempt,
                user_id=scope["state"].get("user_id"),
                status=answer.status,
                content_type=answer.content_type,
                body=_SECRET.sub(rb"\1(shown once)", answer.body),
            )
        except UnavailableError as error:
            # It was done, and the caller should learn so; only a repetition will not know.
            _log.warning("answer not kept", error=str(error))

    async def _abandon(self, caller: Caller, attempt: Attempt) -> None:
        """Give the key back, at once or as soon as the database answers again.

        Until then a repetition would be told that the first request is still under way.
        """
        operations = self._operations(caller)
        try:
            await operations.abandon(attempt)
        except UnavailableError:
            self._process.runtime.parts.aside.run(_abandon_later(operations, attempt))

    def _operations(self, caller: Caller) -> Idempotency:
        confines = Confines(caller.tenant_id, caller.user_id)
        return Idempotency(self._process.runtime.parts, confines)


async def _abandon_later(operations: Idempotency, attempt: Attempt) -> None:
    for _ in range(_ABANDON_TRIES):
        await asyncio.sleep(_ABANDON_EVERY_S)
        with contextlib.suppress(UnavailableError):
            await operations.abandon(attempt)
            return
    _log.warning("idempotency key not given back")


class _Answer:
    """An answer that is held back until it is kept; a stream is let through as it comes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: list[Message] = []
        self._streams = False
        self.status = 0
        self.content_type: str | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.content_type = Headers(raw=message["headers"]).get("content-type")
            self._streams = (self.content_type or "").startswith("text/event-stream")
        if self._streams:
            await self._send(message)
        else:
            self._held.append(message)

    @property
    def is_done(self) -> bool:
        """Whether it tells that something was done: a refusal may be tried again."""
        return 200 <= self.status < 300 and not self._streams

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self._held)

    async def release(self) -> None:
        for message in self._held:
            await self._send(message)


def _is_answered(path: str, error: UnavailableError) -> bool:
    """Whether a path has an answer without the database."""
    return is_openai(path) or (
        path in _CHAT and isinstance(error, DatabaseGoneError | OutcomeUnknownError)
    )


def _attempt(caller: Caller, key: str, scope: Scope) -> Attempt:
    hashed = hashlib.sha256()
    user = Headers(scope=scope).get(USER_HEADER, "").encode()
    for part in (
        *(scope["path"].encode(), scope["query_string"], user),
        scope["state"].get("body", b""),
    ):
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return Attempt(id=new_id(), caller=caller.key_id, key=key, request_hash=hashed.digest())


def _again(kept: KeptAnswer, attempt: Attempt) -> Response:
    if kept.request_hash != attempt.request_hash:
        return problem(
            422,
            f"This {HEADER} was used for another request: take a new one.",
            code="idempotency_key_reused",
        )
    if kept.status is None:
        return problem(
            409,
            f"The first request with this {HEADER} is still under way.",
            headers={"Retry-After": "1"},
            code="in_progress",
        )
    headers = {REPLAYED: "true"}
    if kept.content_type is not None:
        headers["Content-Type"] = kept.content_type
    return Response(kept.body, kept.status, headers=headers)
