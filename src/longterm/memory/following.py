"""Answers under way: followed through whichever process, and marked when their maker died."""

import contextlib
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta

from longterm.errors import DatabaseGoneError, MemoryNotFoundError, OutcomeUnknownError
from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.chat import ChatEvent, ChatReply
from longterm.store import answers, conversations, messages, turns
from longterm.store.answers import SoFar

INTERRUPTED = "The answer was interrupted."
_NOT_YET = "The answer is still being made: follow it once more."

_LONGEST_FOLLOW_S = 600.0
# Whoever makes an answer shows every five seconds that it lives.
_SILENCE = timedelta(seconds=20)


class Following(Operations):
    """What can be done about an answer that somebody else makes."""

    async def follow(
        self, user_id: str, message_id: int | str, *, after: int = 0
    ) -> AsyncGenerator[ChatEvent]:
        """Yield the rest of the answer to a message, from character `after` on.

        Also when another process makes it. Ends with what there is when its maker is gone.
        """
        user_id = inputs.user_id(user_id)
        question_id = inputs.message_id(message_id, "message_id")
        told = inputs.number(after, "after", least=0, most=inputs.MAX_OFFSET)
        so_far: SoFar | None = None
        async with aclosing(self._states(user_id, question_id)) as states:
            async for so_far in states:
                content = so_far.content or ""
                if len(content) > told:
                    yield ChatEvent(kind="delta", text=content[told:])
                    told = len(content)
        if so_far is not None:
            yield _last(question_id, so_far)

    async def settle(self, message_id: int | str) -> bool:
        """Mark the answer to a message as interrupted if its maker died.

        Returns whether the answer is still under way.
        """
        question_id = inputs.message_id(message_id, "message_id")
        with self._operation("settle"):
            async with self._transaction() as conn:
                question = await messages.get(conn, question_id)
                if question is not None:
                    await conversations.lock(conn, question.conversation_id)
                await answers.settle(conn, question_id, silence=_SILENCE)
                if question is not None:
                    await turns.reopen(conn, question.conversation_id)
                return await answers.is_under_way(conn, question_id)

    async def _states(self, user_id: str, question_id: int) -> AsyncGenerator[SoFar]:
        """Yield what there is of an answer, now and whenever there is more."""
        so_far = await self._look(user_id, question_id)
        yield so_far
        if not so_far.under_way:
            return
        until = time.monotonic() + _LONGEST_FOLLOW_S
        topic = answers.topic(self._scope.tenant_id, question_id)
        async with self._parts.notices.about(topic) as news:
            # While the database is away nothing is heard; it comes back, and the answer with it.
            with contextlib.suppress(DatabaseGoneError, OutcomeUnknownError):
                async with self._transaction() as conn:
                    await answers.follow(conn, question_id=question_id, user_id=user_id)
            while so_far.under_way and time.monotonic() < until:
                with contextlib.suppress(DatabaseGoneError):
                    so_far = await self._look(user_id, question_id)
                yield so_far
                if so_far.under_way:
                    await news.wait()

    async def _look(self, user_id: str, question_id: int) -> SoFar:
        async with self._read_only() as conn:
            found = await answers.so_far(conn, question_id=question_id, user_id=user_id)
        if found is None:
            raise MemoryNotFoundError("This user asked no such question.")
        return found


def _last(question_id: int, so_far: SoFar) -> ChatEvent:
    ended = None if so_far.status == "complete" else INTERRUPTED
    error = _NOT_YET if so_far.under_way else ended
    reply = ChatReply(
        answer=so_far.content or "",
        model="",
        conversation_id=so_far.conversation_id,
        message_id=question_id,
        answer_id=so_far.answer_id,
        error=error,
    )
    return ChatEvent(kind="error" if error else "done", reply=reply)
