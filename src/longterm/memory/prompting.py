"""What goes into the prompt of an exchange: memory, summary and window."""

import asyncio
from dataclasses import dataclass, replace

from longterm.chat import prompt
from longterm.memory import remembering, tool
from longterm.memory.recalling import Recalling
from longterm.memory.understanding import Known, Wanted, look_up
from longterm.postgres.transaction import Conn
from longterm.providers.model import Prompt, Said, ToolSpec
from longterm.records.message import Message
from longterm.records.passage import KINDS
from longterm.records.recall import Recall
from longterm.store import episodes, messages
from longterm.store.search import Filters
from longterm.text import secrets

_BUDGET_TOKENS = 2000
_HITS = 8
_WINDOW_MESSAGES = 42

_TOOL = ToolSpec(name=tool.NAME, description=tool.DESCRIPTION, parameters=tool.SCHEMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, and where; without a place, nothing of it is kept.

    `write_id` is the id under which the question is stored once.
    """

    user_id: str
    text: str
    conversation_id: str | None
    message_id: int | None
    memory: bool
    temporary: bool
    journalled: bool = False
    write_id: str | None = None

    @property
    def kept(self) -> bool:
        """Whether it is stored, or will be when the database is back."""
        return self.message_id is not None or self.journalled


class Prompting(Recalling):
    """Gathers what a model is told."""

    async def _look_up(self, reads: Conn, question: Asked) -> Known | None:
        return await look_up(reads, *_wanted(question))

    async def _remember(self, question: Asked, known: Known | None) -> Recall:
        return await self._recall(*_wanted(question), known=known)

    async def _prompt(self, question: Asked, recall: Recall | None) -> Prompt:
        if question.message_id is None or question.conversation_id is None:
            key = (self._scope.tenant_id, question.user_id, question.conversation_id or "")
            built = prompt.build(
                message=question.text,
                now=remembering.now(),
                prefix="" if recall is None else recall.stable_prefix,
                summary="",
                tail="" if recall is None else recall.turn_tail,
                window=(),
                tools=(),
            )
            said: tuple[Said, ...] = ()
            if question.temporary:
                said = self._parts.temporary.said(key)
            elif question.journalled:
                said = self._parts.window.said(key)
            return replace(built, messages=(*said, *built.messages))
        place = question.conversation_id
        async with self._read_only() as conn:
            window = await messages.before(
                conn, conversation_id=place, limit=_WINDOW_MESSAGES, id_=question.message_id
            )
            due = await episodes.due(conn, place)
            summary = await episodes.rolling(conn, place)
        through = 0 if due is None else due.summarised_through
        return prompt.build(
            message=question.text,
            now=remembering.now(),
            prefix="" if recall is None else recall.stable_prefix,
            summary=await asyncio.to_thread(secrets.mask, summary),
            tail="" if recall is None else recall.turn_tail,
            window=_outside(window, through),
            tools=(_TOOL,) if question.memory else (),
        )


def _wanted(question: Asked) -> tuple[Filters, Wanted]:
    wanted = Wanted(
        query=question.text,
        limit=_HITS,
        budget_tokens=_BUDGET_TOKENS,
        current=None if question.temporary else question.conversation_id,
        asked_in=question.message_id,
        count_use=not question.temporary,
    )
    return Filters(user_id=question.user_id, kinds=KINDS), wanted


def _outside(window: list[Message], through: int) -> list[Message]:
    """The turns that no episode sums up, oldest first."""
    return [message for message in reversed(window) if message.turn > through]
