"""The exchange: keep the question, remember, ask the model, keep the answer."""

import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from uuid import UUID

from longterm.chat import offline
from longterm.errors import (
    DatabaseGoneError,
    OutcomeUnknownError,
    UnavailableError,
)
from longterm.memory import answering, inputs, stopping, tool
from longterm.memory.answering import Made, Saving
from longterm.memory.clarifying import Clarifying, Meant
from longterm.memory.following import INTERRUPTED, Following
from longterm.memory.history import History
from longterm.memory.keeping import Keeping
from longterm.memory.listening import Events
from longterm.memory.outage import Utterance
from longterm.memory.prompting import Asked, Prompting
from longterm.memory.tool import Tool
from longterm.memory.tool_in_answer import ToolInAnswer
from longterm.memory.understanding import Known
from longterm.observe.log import get_logger
from longterm.postgres.transaction import Conn
from longterm.providers.model import ChatModel, Prompt, Said
from longterm.records.chat import ChatEvent, ChatReply, ToolUse
from longterm.store import clarifications

_log = get_logger(__name__)

_KEPT = "Your message is kept."
_FAILED = "The answer could not be made."
_INTERRUPTED = "The database went away while the answer was made."


class Exchanges(Prompting, Tool, History, Clarifying, Keeping, Following):
    """Chat with a model that remembers, or with memory alone."""

    async def chat(
        self,
        user_id: str,
        message: str,
        *,
        conversation_id: str | UUID | None = None,
        memory: bool = True,
        temporary: bool = False,
    ) -> ChatReply:
        """Answer a message; both are kept, and learned from in the background.

        With `memory=False` nothing is remembered and nothing is kept. A temporary conversation
        is held in RAM and nowhere else.
        """
        reply: ChatReply | None = None
        events = self.stream(
            user_id, message, conversation_id=conversation_id, memory=memory, temporary=temporary
        )
        async with aclosing(events) as stream:
            async for event in stream:
                reply = event.reply or reply
        if reply is None:
            raise AssertionError("a stream ends with its reply")
        return reply

    async def stream(
        self,
        user_id: str,
        message: str,
        *,
        conversation_id: str | UUID | None = None,
        memory: bool = True,
        temporary: bool = False,
    ) -> AsyncGenerator[ChatEvent]:
        """Answer a message as `chat` does, and yield what comes as it comes.

        Who stops listening does not stop the answer: `follow` takes it up again.
        """
        inputs.flag(memory, "memory")
        inputs.flag(temporary, "temporary")
        user_id = inputs.user_id(user_id)
        text = inputs.content(message, "message", limits=self._rules.limits)
        place = None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
        with self._operation("chat", user_id=user_id, conversation_id=place):
            question = await self._ask_in(user_id, text, place, memory=memory, temporary=temporary)
            events = Events()
            self._parts.aside.run(self._answer_counted(question, events))
        try:
            while True:
                event = await events.get()
                yield event
                if event.kind in ("done", "error"):
                    return
        finally:
            events.leave()

    async def _answer_counted(self, question: Asked, events: Events) -> None:
        with self._metrics.answers_under_way.track_inprogress():
            await self._answer(question, events)

    async def _answer(self, question: Asked, events: Events) -> None:
        """Make the answer, whoever listens."""
        where = {"user_id": question.user_id, "conversation_id": question.conversation_id}
        saving = self._saving(question)
        with self._operation("answer", **where):
            try:
                await self._answer_it(question, saving, events)
            except BaseException:
                # Also when it is cancelled: who listens would wait for ever.
                events.put(_broken_off(question))
                raise
            finally:
                if saving is not None:
                    # Also when it is cancelled: it is not being made any more.
                    await saving.stop()

    async def _answer_it(self, question: Asked, saving: Saving | None, events: Events) -> None:
        ids = {"conversation_id": question.conversation_id, "message_id": question.message_id}
        made = Made(model=offline.MODEL if self._parts.model is None else self._parts.model.name)
        if saving is not None:
            saving.begin()
        events.put(ChatEvent(kind="start", ids=ids))
        try:
            await self._make(question, made, saving, events)
        except (DatabaseGoneError, OutcomeUnknownError):
            await self._go_on_without(question, made, events)
        except UnavailableError as error:
            made.error = str(error)
        except Exception as error:  # noqa: BLE001
            # The boundary of an answer: what has come of it is kept, and who listens hears of it.
            # Its text is left out, because that of a foreign error may quote what a user said.
            _log.error("answer failed", error=type(error).__name__)
            made.error = _FAILED
        answer_id: int | None = None
        try:
            answer_id = await self._keep_answer(question, saving, made)
        except UnavailableError as error:
            self._metrics.turns_failed.inc()
            made.error = str(error)
        is_kept = question.kept and not (saving is not None and saving.question_is_gone)
        reply = ChatReply(
            answer=made.text or f"{made.error} {_KEPT if is_kept else ''}".strip(),
            model=made.model,
            conversation_id=question.conversation_id,
            message_id=question.message_id,
            answer_id=answer_id,
            memories=made.recall,
            tools=tuple(made.tools),
            options=made.options,
            error=made.error,
            degraded=question.journalled
            or made.journalled
            or made.error is not None
            or (made.recall is not None and made.recall.degraded),
            prompt_tokens=made.usage.prompt_tokens,
            answer_tokens=made.usage.answer_tokens,
        )
        if made.error is not None:
            _log.error("not answered", error=made.error)
        events.put(ChatEvent(kind="error" if made.error else "done", reply=reply))

    async def _go_on_without(self, question: Asked, made: Made, events: Events) -> None:
        """Answer without the database, which went away on the way."""
        made.journalled = True
        if made.text:
            made.error = _INTERRUPTED
            return
        alone = replace(question, memory=False, message_id=None, journalled=True)
        try:
            await self._make(alone, made, None, events)
        except UnavailableError as error:
            made.error = str(error)

    async def _make(
        self,
        question: Asked,
        made: Made,
        saving: Saving | None,
        events: Events,
    ) -> None:
        """Ask back, answer from memory, or let the model answer."""
        known, meant = await self._understand_it(question)
        if meant.options:
            made.options = tuple(option.label for option in meant.options)
            made.text = meant.question
            events.put(ChatEvent(kind="delta", text=made.text))
            return
        question = replace(question, text=meant.query)
        if question.memory:
            made.recall = await self._remember(question, known)
        model = self._parts.model
        if model is None:
            made.text = offline.answer(made.recall)
            events.put(ChatEvent(kind="delta", text=made.text))
            return
        await self._listen(model, question, made, saving, events)

    async def _build_prompt(self, question: Asked, made: Made) -> Prompt:
        recall = made.recall
        if recall is not None and made.tools:
            # A tool call may have changed what was recalled before it.
            recall = await self._remember(question, None)
        return await self._prompt(question, recall)

    async def _understand_it(self, question: Asked) -> tuple[Known | None, Meant]:
        """Look up what is known, and what the question means in the light of it."""
        meant = Meant(query=question.text)
        if not question.memory:
            return None, meant
        async with self._read_only() as conn:
            known = await self._look_up(conn, question)
            waits = await self._waits(conn, question)
        if known is not None and question.message_id is not None:
            meant = await self._meant(question, known, waits=waits)
        return known, meant

    async def _waits(self, reads: Conn, question: Asked) -> bool:
        """Whether we asked back, and wait for a choice."""
        if question.message_id is None or question.conversation_id is None:
            return False
        place = {"conversation_id": question.conversation_id, "user_id": question.user_id}
        return await clarifications.waits(reads, **place)

    def _saving(self, question: Asked) -> Saving | None:
        if question.message_id is None or question.conversation_id is None:
            return None
        return Saving(
            self._parts,
            self._scope,
            user_id=question.user_id,
            conversation_id=question.conversation_id,
            question_id=question.message_id,
        )

    async def _keep_answer(self, question: Asked, saving: Saving | None, made: Made) -> int | None:
        said_now = (Said(by="user", text=question.text), Said(by="assistant", text=made.text))
        answer_id: int | None = None
        if saving is not None:
            try:
                answer_id = await saving.end(made)
            except (DatabaseGoneError, OutcomeUnknownError):
                made.journalled = True
        if question.kept and question.conversation_id is not None and made.text:
            # The last turns are in RAM too: they are there when the database is not.
            key = (self._scope.tenant_id, question.user_id, question.conversation_id)
            self._parts.window.add(key, *said_now)
        if answer_id is not None:
            self._metrics.messages_stored.inc()
            self._metrics.turns_stored.inc()
            return answer_id
        if (question.journalled or made.journalled) and made.text:
            await self._parts.outage.keep(self._kept_answer(question, saving, made))
            return None
        if question.temporary and question.conversation_id is not None:
            key = (self._scope.tenant_id, question.user_id, question.conversation_id)
            self._parts.temporary.add(key, *said_now)
        return None

    def _kept_answer(self, question: Asked, saving: Saving | None, made: Made) -> Utterance:
        answer = self._utterance(question, "assistant", made.text)
        return replace(
            answer,
            id=answer.id if saving is None else saving.id,
            question_id=question.message_id,
            question_write_id=question.write_id,
            status="complete" if made.error is None else "interrupted",
        )

    async def _listen(
        self,
        model: ChatModel,
        question: Asked,
        made: Made,
        saving: Saving | None,
        events: Events,
    ) -> None:
        async def run_tool(name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
            return await self._run_tool(question, name, given)

        async def save() -> None:
            if saving is not None:
                with contextlib.suppress(DatabaseGoneError, OutcomeUnknownError):
                    await saving.save(made)

        async def build_prompt() -> Prompt:
            return await self._build_prompt(question, made)

        pieces = answering.ask(self._parts, self._scope, model, build_prompt, made, run_tool)
        if saving is not None:
            pieces = stopping.until(pieces, saving.stopped, made, when_silent=save)
        async with aclosing(pieces) as answer:
            async for piece in answer:
                if isinstance(piece, ToolUse):
                    events.put(ChatEvent(kind="tool", tool=piece))
                    continue
                events.put(ChatEvent(kind="delta", text=piece))
                await save()

    async def _run_tool(
        self, question: Asked, name: str, given: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        if name != tool.NAME:
            return {"ok": False, "error": f"There is no tool {name[:60]!r}."}
        unknown = given.keys() - tool.SCHEMA["properties"].keys()
        if unknown or "operation" not in given:
            return {"ok": False, "error": "Give operation, and what the schema names."}
        operation = str(given["operation"])
        rest = {key: value for key, value in given.items() if key != "operation"}
        return await self._tool_for(question).manage_user_memory(
            question.user_id,
            operation,
            conversation_id=question.conversation_id,
            message_id=question.message_id,
            **rest,
        )

    def _tool_for(self, question: Asked) -> Tool:
        if question.message_id is None:
            return self
        return ToolInAnswer(
            self._parts, self._scope, user_id=question.user_id, question_id=question.message_id
        )


def _broken_off(question: Asked) -> ChatEvent:
    reply = ChatReply(
        answer="",
        model="",
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        error=INTERRUPTED,
    )
    return ChatEvent(kind="error", reply=reply)
