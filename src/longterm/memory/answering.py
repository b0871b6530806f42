"""How an answer is made: the model with its tool, saved as it comes, whoever is listening."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, cast

from longterm.errors import ModelRefusedError, UnavailableError
from longterm.memory import asking, repeated, used
from longterm.memory.operations import Parts
from longterm.postgres.transaction import Conn
from longterm.providers.model import Answer, ChatModel, Prompt, Said, ToolCall, Usage
from longterm.records.chat import ToolUse
from longterm.records.message import Status
from longterm.records.recall import Recall
from longterm.records.scope import Scope
from longterm.store import answers, conversations, exchanges, turns
from longterm.store.ending import ended

# How often what has come is written down, and how often a silent maker shows that it lives.
_SAVE_EVERY_S = 0.25
_ALIVE_EVERY_S = 5.0
_LOOK_EVERY_S = 0.5

_MOST_ROUNDS = 5
_TOO_LONG = "The answer had more than {most:,} characters and was cut off."

RunTool = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
BuildPrompt = Callable[[], Awaitable[Prompt]]


@dataclass(slots=True)
class Made:
    """What has come of an answer so far."""

    model: str
    text: str = ""
    recall: Recall | None = None
    options: tuple[str, ...] = ()
    tools: list[ToolUse] = field(default_factory=list[ToolUse])
    usage: Usage = field(default_factory=Usage)
    error: str | None = None
    journalled: bool = False


async def ask(
    parts: Parts,
    scope: Scope,
    model: ChatModel,
    build_prompt: BuildPrompt,
    made: Made,
    run_tool: RunTool,
) -> AsyncGenerator[str | ToolUse]:
    """Yield the words of the answer, and the tools that the model used on its way.

    The prompt is built again after tool calls: they may have changed the facts in it.
    """
    # In characters, of which each has four bytes at most.
    most = parts.rules.limits.message_bytes // 4
    exchanged: list[Said] = []
    for round_ in range(_MOST_ROUNDS):
        await asking.check_budget(parts, scope)
        built = await build_prompt()
        prompt = replace(built, messages=(*built.messages, *exchanged))
        last: Answer | None = None
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    last = piece
                else:
                    made.text += piece
                    yield piece
                    if len(made.text) > most:
                        raise ModelRefusedError(_TOO_LONG.format(most=most))
        if last is None:
            return
        await _count(parts, scope, prompt, model, last, made)
        if not last.tool_calls or round_ == _MOST_ROUNDS - 1:
            return
        exchanged.append(Said(by="assistant", text=last.text, tool_calls=last.tool_calls))
        for call in last.tool_calls:
            use = await _use(call, run_tool)
            made.tools.append(use)
            yield use
            exchanged.append(Said(by="tool", text=json.dumps(use.result), answers=call))


async def _count(
    parts: Parts, scope: Scope, prompt: Prompt, model: ChatModel, last: Answer, made: Made
) -> None:
    made.usage = Usage(
        prompt_tokens=made.usage.prompt_tokens + last.usage.prompt_tokens,
        answer_tokens=made.usage.answer_tokens + last.usage.answer_tokens,
    )
    await asking.count(parts, scope, prompt.purpose, model.name, last.usage)


async def _use(call: ToolCall, run_tool: RunTool) -> ToolUse:
    try:
        arguments: object = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        refusal = {"ok": False, "error": "The arguments must be a JSON object."}
        return ToolUse(name=call.name, arguments={}, result=refusal)
    given = cast("dict[str, Any]", arguments)
    return ToolUse(name=call.name, arguments=given, result=await run_tool(call.name, given))


class Saving:
    """Writes an answer down while it comes, so that a process that dies leaves what there was."""

    def __init__(
        self, parts: Parts, scope: Scope, *, user_id: str, conversation_id: str, question_id: int
    ) -> None:
        self._parts = parts
        self._scope = scope
        self._user_id = user_id
        self._conversation_id = conversation_id
        self._question_id = question_id
        self._begun: float | None = None
        self._saved_at = 0.0
        self._saved_length = 0
        self._added = False
        self._heart: asyncio.Task[None] | None = None
        self.answer_id: int | None = None
        self.question_is_gone = False
        # By which the whole answer is stored once, here or from the journal.
        self.id = repeated.id_of("assistant")
        self.stopped = asyncio.Event()

    def begin(self) -> None:
        """Show signs of life: since the question is stored, its answer is on its way."""
        self._heart = asyncio.create_task(self._beat())

    async def save(self, made: Made) -> None:
        """Write down what has come, if it is time to and something has."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        if now - max(self._saved_at, self._begun) < _SAVE_EVERY_S or not made.text.strip():
            return
        if len(made.text) == self._saved_length:
            return
        self._saved_at = now
        so_far = self._so_far(made, "partial")
        await self._write(so_far)
        # Not of `made`, to which the model may have added while this was written.
        self._saved_length = len(so_far.content)

    async def end(self, made: Made) -> int | None:
        """Write down the whole answer, or what there is of it; returns its id."""
        await self.stop()
        tools = [{"name": use.name, "arguments": dict(use.arguments), "result": dict(use.result)}
                 for use in made.tools]  # fmt: skip
        if made.text.strip() or tools:
            whole = replace(
                self._so_far(made, "complete" if made.error is None else "interrupted"),
                tool_calls=tools or None,
                suggested_values=list(made.options) or None,
                metadata=used.metadata(made.model, made.recall, made.usage, made.error),
                write_id=self.id,
            )
            await self._write(whole)
        else:
            async with self._parts.database.tenant(self._scope) as conn:
                await conversations.lock(conn, self._conversation_id)
                await answers.end(conn, self._question_id)
                await turns.reopen(conn, self._conversation_id)
        self._parts.wake_worker()
        return self.answer_id

    async def stop(self) -> None:
        """Stop showing signs of life."""
        heart, self._heart = self._heart, None
        if heart is not None:
            await ended(heart)

    def _so_far(self, made: Made, status: Status) -> exchanges.Answer:
        return exchanges.Answer(
            user_id=self._user_id,
            question_id=self._question_id,
            content=made.text,
            status=status,
        )

    async def _write(self, answer: exchanges.Answer) -> None:
        async with self._parts.database.tenant(self._scope) as conn:
            if self.answer_id is not None:
                saved = await exchanges.save(conn, self.answer_id, answer)
            else:
                # Before it is looked whether the question is still there.
                await conversations.lock(conn, self._conversation_id)
                saved = await self._add(conn, answer)
            if saved is None:
                self.question_is_gone = True
                raise UnavailableError("The question was forgotten.")
        self.answer_id = saved.id
        if saved.stopped:
            self.stopped.set()

    async def _add(self, conn: Conn, answer: exchanges.Answer) -> exchanges.Saved | None:
        """Store the first part of the answer, unless a COMMIT whose answer was lost stored it."""
        if self._added:
            begun = await answers.so_far(conn, question_id=self._question_id, user_id=self._user_id)
            if begun is not None and begun.answer_id is not None:
                return await exchanges.save(conn, begun.answer_id, answer)
        self._added = True
        return await exchanges.add(conn, answer)

    async def _beat(self) -> None:
        """Show signs of life, and look whether somebody wants it to stop, where saving does not."""
        shown = time.monotonic()
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            now = time.monotonic()
            if now - self._saved_at < _LOOK_EVERY_S:
                shown = self._saved_at
                continue
            with contextlib.suppress(UnavailableError):
                if now - shown >= _ALIVE_EVERY_S:
                    shown = now
                    async with self._parts.database.tenant(self._scope) as conn:
                        await answers.touch(conn, self._question_id)
                async with self._parts.database.tenant(self._scope, read_only=True) as conn:
                    if await answers.is_stopped(conn, self._question_id):
                        self.stopped.set()
