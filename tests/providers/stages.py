"""Every language model and every embedder, each with somebody to tell how its vendor behaves."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from longterm.providers import choose
from longterm.providers.embedder import Embedder
from longterm.providers.guard import CallReport, Guard, Guarded
from longterm.providers.model import ChatModel, Prompt, Said, ToolCall
from longterm.providers.scripted import Line, ScriptedModel
from tests.providers.shapes import Says
from tests.providers.vendor_server import VendorServer

KEY = "sk-test-0123456789abcdef"
WORDS = "The zebra of my aunt wears blue pyjamas."
# Ample, so that a busy machine fails no test; those that wait for it choose a short one.
TIMEOUT_S = 20.0
SHORT_S = 0.1

VENDORS = ["openai", "anthropic", "ollama", "openai-compatible"]
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}


@dataclass
class Stage:
    """A model, and what it is to say next."""

    model: ChatModel
    will: Callable[[Says], None]


def a_prompt(text: str = WORDS) -> Prompt:
    return Prompt(instructions="Be kind.", messages=(Said(by="user", text=text),))


def a_guard(
    reports: list[CallReport] | None = None, *, retries: int = 2, timeout_s: float = TIMEOUT_S
) -> Guard:
    """A guard that does not wait between attempts."""
    return Guard(
        timeout_s=timeout_s,
        retries=retries,
        sleep=lambda _: asyncio.sleep(0),
        on_call=reports.append if reports is not None else None,
    )


def base_url(vendor: str, server: VendorServer) -> str:
    return server.url if vendor == "anthropic" else f"{server.url}/v1"


async def a_vendor(
    vendor: str,
    server: VendorServer,
    *,
    output_mode: choose.OutputMode = "auto",
    timeout_s: float = TIMEOUT_S,
) -> ChatModel:
    model = await asyncio.to_thread(
        choose.chat_model,
        f"{vendor}:test-model",
        base_url=base_url(vendor, server),
        api_key=KEY,
        output_mode=output_mode,
        timeout_s=timeout_s,
    )
    assert model is not None
    return model


def a_stage(kind: str, server: VendorServer, vendors: Mapping[str, ChatModel]) -> Stage:
    """The stage of a vendor, or of `scripted`; with `guarded-` before it, in a guard."""
    name = kind.removeprefix("guarded-")
    stage = _scripted() if name == "scripted" else Stage(vendors[name], server.next.append)
    if name != kind:
        stage.model = Guarded(stage.model, a_guard())
    return stage


async def an_embedder(kind: str, server: VendorServer, guard: Guard | None = None) -> Embedder:
    return await asyncio.to_thread(
        choose.embedder,
        f"{kind}:embed-test",
        base_url=f"{server.url}/v1",
        api_key=KEY,
        guard=guard or a_guard(),
    )


def _scripted() -> Stage:
    lines: list[Says] = []

    def reply(_: Prompt) -> Line:
        says = lines.pop(0) if lines else Says()
        calls = tuple(ToolCall(id=i, name=n, arguments=a) for i, n, a in says.calls)
        return Line(text=says.text, tool_calls=calls)

    return Stage(ScriptedModel(reply), lines.append)
