"""OpenAI's shapes, as far as they concern us: what else a request has is passed on."""

from typing import Any

USER, CONVERSATION = "X-Longterm-User", "X-Longterm-Conversation"
MEMORY, UPSTREAM_KEY = "X-Longterm-Memory", "X-Longterm-Upstream-Key"
OPENAI_HEADERS = (USER, CONVERSATION, MEMORY, UPSTREAM_KEY)
# What the openai package for JavaScript sends with every request, also from a browser.
STAINLESS_HEADERS = (
    *("OpenAI-Organization", "OpenAI-Project", "OpenAI-Beta", "X-Stainless-Lang"),
    *("X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch", "X-Stainless-Runtime"),
    *("X-Stainless-Runtime-Version", "X-Stainless-Retry-Count", "X-Stainless-Timeout"),
    *("X-Stainless-Helper-Method", "X-Stainless-Poll-Helper", "X-Stainless-Custom-Poll-Interval"),
)
OPENAI_ANSWERS = ("X-Longterm-Memories", CONVERSATION, "X-Longterm-Degraded")

Schema = dict[str, Any]


def header(name: str, description: str) -> Schema:
    """Describe a header of a request."""
    schema = {"type": "string"}
    return {"name": name, "in": "header", "description": description, "schema": schema}


_ANSWER_HEADERS = {
    "X-Longterm-Memories": {
        "description": "The memories that the model was told, as `kind:id` with commas.",
        "schema": {"type": "string"},
    },
    CONVERSATION: {
        "description": "The conversation that this was stored in.",
        "schema": {"type": "string"},
    },
    "X-Longterm-Degraded": {
        "description": "What memory could not do: database, recall, embedder, not-stored, error.",
        "schema": {"type": "string"},
    },
}
_OBJECT: Schema = {"type": "object", "additionalProperties": True}
_EVENT: Schema = {
    "type": "object",
    "required": ["data"],
    "properties": {"data": {"type": "string"}},
}


def described(
    required: tuple[str, ...], properties: Schema, example: Schema, headers: tuple[Schema, ...]
) -> Schema:
    """Describe a body that may have members which nobody here knows."""
    schema = {
        **_OBJECT,
        "required": list(required),
        "properties": properties,
        "examples": [example],
    }
    return {
        "parameters": list(headers),
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
    }


COMPLETION = described(
    ("messages",),
    {
        "model": {"type": "string"},
        "messages": {"type": "array", "minItems": 1, "items": _OBJECT},
        "stream": {"type": "boolean"},
        "user": {"type": "string", "description": "Whose memory it is."},
    },
    {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Where do I live?"}]},
    (
        header(USER, "Whose memory it is, in place of `user`."),
        header(CONVERSATION, "The conversation; else it is recognised by its history."),
        header(MEMORY, "`off`: nothing is read or stored for this request."),
        header(UPSTREAM_KEY, "A key of one's own for the server that has the model."),
    ),
)
EMBEDDING = described(
    ("input",),
    {
        "model": {"type": "string"},
        "input": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]},
        "encoding_format": {"enum": ["float", "base64"]},
        "dimensions": {"type": "integer"},
    },
    {"model": "longterm", "input": "Where do I live?"},
    (header(UPSTREAM_KEY, "A key of one's own for the server that has the model."),),
)
MODELS: Schema = {
    "parameters": [header(UPSTREAM_KEY, "A key of one's own for the server that has the model.")]
}
ANSWERS: dict[int | str, Schema] = {
    200: {
        "description": "OpenAI's answer, or with `stream` its events.",
        "headers": _ANSWER_HEADERS,
        "content": {
            "application/json": {"schema": _OBJECT},
            # By convention the shape of each event.
            "text/event-stream": {"schema": _EVENT},
        },
    }
}
LISTS: dict[int | str, Schema] = {
    200: {"description": "OpenAI's list.", "content": {"application/json": {"schema": _OBJECT}}}
}
ONE: dict[int | str, Schema] = {
    200: {"description": "OpenAI's model.", "content": {"application/json": {"schema": _OBJECT}}}
}
