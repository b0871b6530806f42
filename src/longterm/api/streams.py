"""Events of an answer as a browser reads them: as words, or as blocks of HTML."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from starlette.responses import StreamingResponse

from longterm.api.wire.chat import event
from longterm.errors import LongtermError
from longterm.records.chat import ChatEvent, ChatReply
from longterm.web.growing import Change, Growing

T = TypeVar("T")
Render = Literal["html"]

# No proxy on the way may collect it before it passes it on.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
# Proxies end a connection on which nothing is said for a minute or less, and a model may think for
# longer. Readers pass over what begins with a colon.
SILENCE_S = 15.0
_ASIDE = b": still here\n\n"
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
        _never_silent(encode(_again(first, events))),
        media_type="text/event-stream",
        headers=_HEADERS,
    )


async def _never_silent(encoded: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with _Coming(encoded) as coming:
        while True:
            if not await coming.within(SILENCE_S):
                yield _ASIDE
            elif (piece := coming.take()) is not None:
                yield piece
            else:
                return


class _Coming(Generic[T]):
    """The next of a stream, for which one waits as long as one likes; closes the stream."""

    def __init__(self, stream: AsyncGenerator[T]) -> None:
        self._stream = stream
        self._task: asyncio.Task[T | None] | None = None

    async def within(self, seconds: float | None) -> bool:
        """Whether the next one, or the end, is there by then."""
        if self._task is None:
            self._task = asyncio.create_task(_next(self._stream))
        await asyncio.wait({self._task}, timeout=seconds)
        return self._task.done()

    def look(self) -> T | None:
        """See what is there; None is the end."""
        if self._task is None:
            raise AssertionError("one looks at what was waited for")
        return self._task.result()

    def take(self) -> T | None:
        """Take what is there, and go on to the next one."""
        taken, self._task = self.look(), None
        return taken

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._stream.aclose()


async def _next(stream: AsyncGenerator[T]) -> T | None:
    return await anext(stream, None)


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
    async with _Coming(events) as coming:
        while True:
            came = await coming.within(shown.wait_s)
            if shown.wait_s == 0 or (came and not _is_words(coming.look())):
                async for told in shown.tell():
                    yield told
            if not came:
                continue
            one = coming.take()
            if one is None:
                return
            if one.kind == "delta":
                shown.add(one.text)
            else:
                yield event(one)


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
