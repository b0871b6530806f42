"""What learning costs with a model: calls and tokens, counted by a model that only counts."""

import json
from collections import Counter
from dataclasses import dataclass

from longterm.library import AsyncLongterm
from longterm.providers.model import Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.text import tokens

_TURNS = 100
_SAID = "I went to the market with Ana this morning and we bought plums, bread and a new lamp."
_ANSWERED = "That sounds like a good morning. What are you going to do with the plums?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The calls for one purpose over a conversation."""

    purpose: str
    calls: int
    prompt_tokens: int
    beyond_messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a conversation of so many turns cost, one message at a time and all at once."""

    turns: int
    one_by_one: tuple[Cost, ...]
    at_once: tuple[Cost, ...]


async def run(conninfo: str) -> Report:
    """Talk for a while, with a model that finds nothing, and count."""
    return Report(
        turns=_TURNS,
        one_by_one=await _talk(conninfo, tenant=1, at_once=False),
        at_once=await _talk(conninfo, tenant=2, at_once=True),
    )


async def _talk(conninfo: str, *, tenant: int, at_once: bool) -> tuple[Cost, ...]:
    model = ScriptedModel(_answer)
    async with AsyncLongterm(conninfo, llm=model) as lt:
        mem = lt.tenant(tenant)
        for number in range(20):
            key = f"likes:thing_{number}"
            await mem.add_fact("ada", f"thing {number}", category="preference", key=key)
        for turn in range(_TURNS):
            await mem.add_message("ada", "user", f"{_SAID} It was day {turn}.")
            await mem.add_message("ada", "assistant", _ANSWERED)
            if not at_once:
                await lt.drain()
        await lt.drain()
    return _costs(model.prompts)


def _answer(prompt: Prompt) -> str:
    return {
        "extract": json.dumps({"facts": []}),
        "summarise": json.dumps({"summary": "They talked.", "rolling": "They talk on."}),
    }.get(prompt.purpose, "A morning at the market")


def _costs(prompts: list[Prompt]) -> tuple[Cost, ...]:
    calls: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    beyond: Counter[str] = Counter()
    for prompt in prompts:
        said = "\n".join(message.text for message in prompt.messages)
        schema = json.dumps(prompt.answer_schema) if prompt.answer_schema else ""
        size = tokens.count(prompt.instructions) + tokens.count(said) + tokens.count(schema)
        own = said.count(_SAID) * tokens.count(_SAID) + said.count(_ANSWERED) * tokens.count(
            _ANSWERED
        )
        calls[prompt.purpose] += 1
        spent[prompt.purpose] += size
        beyond[prompt.purpose] = max(beyond[prompt.purpose], size - own)
    return tuple(
        Cost(
            purpose=purpose,
            calls=calls[purpose],
            prompt_tokens=spent[purpose],
            beyond_messages=beyond[purpose],
        )
        for purpose in sorted(calls)
    )
