"""Events of an answer as a browser reads them: as words, or as blocks of HTML."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Literal

from starlette.responses import StreamingResponse

from longterm.api.wire.chat import event
from longterm.errors import LongtermError
from longterm.records.chat import ChatEvent, ChatReply
from longterm.web.growing import Change, Growing

Render = Literal["html"]

# No proxy on the way may collect it before it passes it on.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
# Words that come together are told together.
_TOGETHER_S = 0.05
# A long block is rendered whole with each of its words: it gets a fifth of the time at most.
_SHARE = 4

_Encode = Callable[[AsyncGenerator[ChatEvent]], AsyncGenerator[bytes]]


async def streamed(
    events: AsyncGenerator[ChatEvent], render: Render | None = None
) -> StreamingResponse:
    """Answer with events; the first one comes before, so that a refusal has its own status."""
    first = await anext(events)
    encode: _Encode = _as_words if render is None else _as_blocks
    return StreamingResponse(
        _closing(encode(_again(first, events))), media_type="text/event-stream", headers=_HEADERS
    )


async def _closing(encoded: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    async with aclosing(encoded) as pieces:
        async for piece in pieces:
            yield piece


async def _again(first: ChatEvent, events: AsyncGenerator[ChatEvent]) -> AsyncGenerator[ChatEvent]:
    async with aclosing(events) as rest:
        yield first
        try:
            async for one in rest:
                yield one
        except LongtermError as error:
            # The status was sent long ago.
            reply = ChatReply(answer="", model="", conversation_id=None, error=str(error))
            yield ChatEvent(kind="error", reply=reply)


async def _as_words(events: AsyncGenerator[ChatEvent]) -> AsyncGenerator[bytes]:
    async with aclosing(events) as each:
        async for one in each:
            yield event(one)


async def _as_blocks(events: AsyncGenerator[ChatEvent]) -> AsyncGenerator[bytes]:
    shown = _Shown()
    coming: asyncio.Task[ChatEvent | None] | None = None
    try:
        while True:
            coming = coming or asyncio.create_task(_next(events))
            await asyncio.wait({coming}, timeout=shown.wait_s)
            if shown.wait_s == 0 or (coming.done() and not _is_words(coming.result())):
                async for told in shown.tell():
                    yield told
            if not coming.done():
                continue
            one, coming = coming.result(), None
            if one is None:
                return
            if one.kind == "delta":
                shown.add(one.text)
            else:
                yield event(one)
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.wait({coming})
        await events.aclose()


async def _next(events: AsyncGenerator[ChatEvent]) -> ChatEvent | None:
    return await anext(events, None)


def _is_words(one: ChatEvent | None) -> bool:
    return one is not None and one.kind == "delta"


class _Shown:
    """What a browser was told of a text, and when it is time to tell more."""

    def __init__(self) -> None:
        self._growing = Growing()
        self._text = ""
        self._due: float | None = None
        self._not_before = 0.0

    @property
    def wait_s(self) -> float | None:
        """How long to wait for more words; None while there is nothing to tell."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def add(self, words: str) -> None:
        """Take words that are to be told soon."""
        self._text += words
        if self._due is None:
            self._due = max(time.monotonic() + _TOGETHER_S, self._not_before)

    async def tell(self) -> AsyncGenerator[bytes]:
        """Yield what looks different, if anything does."""
        if self._due is None:
            return
        self._due = None
        begun = time.monotonic()
        change = await asyncio.to_thread(self._growing.grow, self._text)
        now = time.monotonic()
        self._not_before = now + _SHARE * (now - begun)
        if change is not None:
            yield _blocks(change, len(self._text))


def _blocks(change: Change, length: int) -> bytes:
    told: dict[str, Any] = {"from": change.start, "html": change.html, "text_length": length}
    return f"event: blocks\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()
