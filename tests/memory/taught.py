"""A tenant whose model says what a test wants it to say."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from longterm import AsyncTenant
from longterm.memory.aside import Aside
from longterm.providers.guard import Guarded
from longterm.providers.model import Answer, Prompt
from longterm.providers.scripted import Reply, Script, ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime

WORDS = ("Once", " upon", " a", " time")


def taught(
    runtime: Runtime,
    tenant_id: int,
    model: ScriptedModel | Guarded | Script,
    *,
    aside: Aside | None = None,
) -> AsyncTenant:
    """The memory of a tenant that has a language model."""
    chat = model if isinstance(model, ScriptedModel | Guarded) else ScriptedModel(model)
    parts = replace(runtime.parts, model=chat, aside=aside or runtime.parts.aside)
    return AsyncTenant(parts, Scope(tenant_id))


def fact(**changes: Any) -> dict[str, Any]:
    """A fact as a model writes it, about the first message."""
    plain = {
        "message": 1, "category": "identity", "key": "name", "value": "Alex",
        "quote": "My name is Alex", "confidence": 1, "importance": 1, "correction": False,
        "ended": False,
    }  # fmt: skip
    return plain | changes


def facts(*items: object) -> str:
    """The answer of a model that found these."""
    return json.dumps({"facts": items})


def by_purpose(**replies: Reply) -> Script:
    """A script that answers each purpose with the same words; others get nothing useful."""

    def answer(prompt: Prompt) -> Reply:
        return replies.get(prompt.purpose, "")

    return answer


class WordByWord(ScriptedModel):
    """Says a word each time it is told to go on."""

    def __init__(self) -> None:
        super().__init__(lambda _: "".join(WORDS))
        self.may_speak = asyncio.Semaphore(0)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        for word in WORDS:
            await self.may_speak.acquire()
            yield word
        yield await self.answer(prompt)
