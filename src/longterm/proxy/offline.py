"""`longterm-offline`: answers from memory in OpenAI's shapes, where there is no model."""

import json
import time
from typing import Any
from uuid import uuid4

from longterm.chat import offline
from longterm.errors import MemoryNotFoundError
from longterm.proxy.body import Body
from longterm.proxy.json_shapes import as_dict
from longterm.records.recall import Recall
from longterm.text import tokens

MODEL = "longterm-offline"

_MOST_CHOICES = 128


def models(embedder: str) -> dict[str, Any]:
    """What can be asked for without a server that has a model."""
    return {"object": "list", "data": [model(name, embedder) for name in (MODEL, embedder)]}


def model(name: str, embedder: str) -> dict[str, Any]:
    """One of them; raises `MemoryNotFoundError` for any other."""
    if name not in (MODEL, embedder):
        raise MemoryNotFoundError(f"There is no such model here: {MODEL} and {embedder} are.")
    return {"id": name, "object": "model", "created": 0, "owned_by": "longterm"}


def answer(body: Body, found: Recall | None) -> list[bytes]:
    """The answer as bytes: one piece, or the events of a stream."""
    text = offline.answer(found)
    asked = body.data.get("n")
    number = asked if isinstance(asked, int) and 1 <= asked <= _MOST_CHOICES else 1
    prompt = tokens.estimate(json.dumps(body.messages))
    said = tokens.estimate(text) * number
    usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    base: dict[str, Any] = {
        "id": f"chatcmpl-{uuid4().hex}",
        "created": int(time.time()),
        "model": MODEL,
        "system_fingerprint": MODEL,
    }
    return (
        _events(body, base, text, number, usage)
        if body.streams
        else _whole(base, text, number, usage)
    )


def _whole(base: dict[str, Any], text: str, number: int, usage: dict[str, int]) -> list[bytes]:
    message = {"role": "assistant", "content": text, "refusal": None}
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": "stop"}
        for index in range(number)
    ]
    told = {**base, "object": "chat.completion", "choices": choices, "usage": usage}
    return [json.dumps(told, ensure_ascii=False).encode()]


def _events(
    body: Body, base: dict[str, Any], text: str, number: int, usage: dict[str, int]
) -> list[bytes]:
    base = {**base, "object": "chat.completion.chunk"}
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": line}, None) for line in text.splitlines(keepends=True)]
    deltas.append(({}, "stop"))
    events = [
        _event({**base, "choices": [_choice(index, delta, reason)]})
        for index in range(number)
        for delta, reason in deltas
    ]
    if as_dict(body.data.get("stream_options")).get("include_usage") is True:
        events.append(_event({**base, "choices": [], "usage": usage}))
    return [*events, b"data: [DONE]\n\n"]


def _choice(index: int, delta: dict[str, str], reason: str | None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}


def _event(told: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(told, ensure_ascii=False)}\n\n".encode()
