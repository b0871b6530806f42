"""Answers under way: which there are, and how one is stopped."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextvars import copy_context
from typing import TypeVar
from uuid import UUID

from longterm.memory import inputs
from longterm.memory.answering import Made
from longterm.memory.operations import Operations
from longterm.store import answers

STOPPED = "The answer was stopped."

# After this long without a word, nobody may hear of the last one again.
_SILENT_S = 0.3
_FIRST = asyncio.FIRST_COMPLETED

_T = TypeVar("_T")


class Stopping(Operations):
    """Looks after answers that are being made, here or by another process."""

    async def stop_answer(self, user_id: str, message_id: int | str) -> bool:
        """Stop the answer to a message, within about a second; what has come of it is kept.

        Tells whether one was being made.
        """
        user_id = inputs.user_id(user_id)
        question_id = inputs.message_id(message_id, "message_id")
        with self._operation("stop_answer", user_id=user_id):
            async with self._transaction() as conn:
                return await answers.stop(conn, question_id=question_id, user_id=user_id)

    async def list_answering(
        self, user_id: str, conversation_id: str | UUID | None = None
    ) -> list[int]:
        """Return the messages of a user whose answers are being made, oldest first."""
        user_id = inputs.user_id(user_id)
        place = None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
        with self._operation("list_answering", user_id=user_id, conversation_id=place):
            async with self._read_only() as conn:
                return await answers.questions(conn, user_id=user_id, conversation_id=place)


async def until(
    pieces: AsyncGenerator[_T],
    stopped: asyncio.Event,
    made: Made,
    *,
    when_silent: Callable[[], Awaitable[None]],
) -> AsyncGenerator[_T]:
    """Yield what comes until somebody stops it, also while nothing comes."""
    # One for all steps: what is bound for the length of an answer is unbound where it was bound.
    context = copy_context()
    stop = asyncio.create_task(stopped.wait())
    coming: asyncio.Task[_T | None] | None = None
    try:
        while not stop.done():
            coming = asyncio.create_task(_next(pieces), context=context)
            await asyncio.wait({coming, stop}, timeout=_SILENT_S, return_when=_FIRST)
            if not coming.done() and not stop.done():
                await when_silent()
                await asyncio.wait({coming, stop}, return_when=_FIRST)
            if not coming.done():
                break
            piece = coming.result()
            if piece is None:
                return
            yield piece
        made.error = STOPPED
    finally:
        for task in (stop, coming):
            if task is not None:
                task.cancel()
        await asyncio.wait({task for task in (stop, coming) if task is not None})
        await asyncio.create_task(_close(pieces), context=context)


async def _close(pieces: AsyncGenerator[_T]) -> None:
    await pieces.aclose()


async def _next(pieces: AsyncGenerator[_T]) -> _T | None:
    return await anext(pieces, None)
