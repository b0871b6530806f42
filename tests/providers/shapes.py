"""What each vendor sends over the wire, in the shapes that theirs were recorded in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PROMPT_TOKENS = 21
ANSWER_TOKENS = 7


@dataclass(frozen=True)
class Says:
    """A good answer; each tool call is (id, name, arguments)."""

    text: str = "Hello Ada, how are you?"
    calls: tuple[tuple[str, str, str], ...] = ()

    def pieces(self) -> list[str]:
        size = max(1, len(self.text) // 3)
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]


def openai_answer(says: Says) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": says.text or None, "refusal": None}
    if says.calls:
        message["tool_calls"] = [_openai_call(*call) for call in says.calls]
    reason = "tool_calls" if says.calls else "stop"
    return {
        "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
        "object": "chat.completion",
        "created": 1741570283,
        "model": "gpt-test-2026-01-01",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": _openai_usage(),
        "service_tier": "default",
        "system_fingerprint": "fp_fc9f1d7035",
    }


def openai_events(says: Says) -> Iterator[str]:
    yield _openai_chunk({"role": "assistant", "content": "", "refusal": None})
    for piece in says.pieces():
        yield _openai_chunk({"content": piece})
    for index, (id_, name, arguments) in enumerate(says.calls):
        yield _openai_chunk({"tool_calls": [{"index": index, **_openai_call(id_, name, "")}]})
        for half in (arguments[:5], arguments[5:]):
            part = {"index": index, "function": {"arguments": half}}
            yield _openai_chunk({"tool_calls": [part]})
    yield _openai_chunk({}, "tool_calls" if says.calls else "stop")
    yield _event({**_openai_base(), "choices": [], "usage": _openai_usage()})
    yield "data: [DONE]\n\n"


def _openai_base() -> dict[str, Any]:
    return {
        "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
        "object": "chat.completion.chunk",
        "created": 1741570283,
        "model": "gpt-test-2026-01-01",
    }


def _openai_chunk(delta: dict[str, Any], reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return _event({**_openai_base(), "choices": [choice], "usage": None})


def _openai_call(id_: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def _openai_usage() -> dict[str, Any]:
    return {
        "prompt_tokens": PROMPT_TOKENS,
        "completion_tokens": ANSWER_TOKENS,
        "total_tokens": PROMPT_TOKENS + ANSWER_TOKENS,
    }


def anthropic_answer(says: Says) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": says.text}] if says.text else []
    content += [
        {"type": "tool_use", "id": id_, "name": name, "input": json.loads(arguments)}
        for id_, name, arguments in says.calls
    ]
    return {
        **_anthropic_base(),
        "content": content,
        "stop_reason": "tool_use" if says.calls else "end_turn",
        "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": ANSWER_TOKENS},
    }


def anthropic_events(says: Says) -> Iterator[str]:
    start: dict[str, Any] = {
        **_anthropic_base(),
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": 1},
    }
    yield _named({"type": "message_start", "message": start})
    index = 0
    if says.text:
        yield from _anthropic_block(
            index,
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": piece} for piece in says.pieces()],
        )
        index += 1
    yield _named({"type": "ping"})
    for at, (id_, name, arguments) in enumerate(says.calls, start=index):
        yield from _anthropic_block(
            at,
            {"type": "tool_use", "id": id_, "name": name, "input": {}},
            [
                {"type": "input_json_delta", "partial_json": half}
                for half in ("", arguments[:5], arguments[5:])
            ],
        )
    yield _named(
        {
            "type": "message_delta",
            "delta": {
                "stop_reason": "tool_use" if says.calls else "end_turn",
                "stop_sequence": None,
            },
            "usage": {"output_tokens": ANSWER_TOKENS},
        }
    )
    yield _named({"type": "message_stop"})


def _anthropic_block(
    index: int, block: dict[str, Any], deltas: list[dict[str, Any]]
) -> Iterator[str]:
    yield _named({"type": "content_block_start", "index": index, "content_block": block})
    for delta in deltas:
        yield _named({"type": "content_block_delta", "index": index, "delta": delta})
    yield _named({"type": "content_block_stop", "index": index})


def _anthropic_base() -> dict[str, Any]:
    return {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "stop_sequence": None,
    }


def embeddings(texts: list[str], dimensions: int) -> dict[str, Any]:
    """Vectors that tell the texts apart, in reverse order: only `index` says whose they are."""
    rows = [
        {"object": "embedding", "index": index, "embedding": _vector(text, dimensions)}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": PROMPT_TOKENS, "total_tokens": PROMPT_TOKENS}
    return {"object": "list", "data": rows[::-1], "model": "embed-test", "usage": usage}


def _vector(text: str, dimensions: int) -> list[float]:
    vector = [0.5] * dimensions
    for character in text:
        vector[ord(character) % dimensions] += 3.0
    return vector


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _named(data: dict[str, Any]) -> str:
    return f"event: {data['type']}\n{_event(data)}"
