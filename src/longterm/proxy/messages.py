"""OpenAI's messages as entries of a thread: what of them is stored, and what they are known by."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from longterm.proxy.json_shapes import as_dict, objects
from longterm.records.json import Json
from longterm.records.thread import Entry, ThreadRole, own_hash
from longterm.text.prompt_data import CLOSE, OPEN

_ROLES: dict[str, ThreadRole] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_OURS = re.compile(rf"{OPEN}.*?(?:{CLOSE}|\Z)\s*", re.DOTALL)
_LONGEST_RESULT = 20_000
_LONGEST_NAME = 255
_LONGEST_URL = 500


def entries(messages: object, *, most_bytes: int) -> list[Entry]:
    """What was said, without the instructions of the application and without our own words."""
    found = [_entry(one, most_bytes) for one in objects(messages)]
    return [entry for entry in found if entry is not None]


def answer(
    message: Mapping[str, Any], *, most_bytes: int, partial: bool, model: str | None
) -> Entry:
    """The entry for an answer, or for what came of it."""
    text, calls = _text(message), _calls(message)
    return Entry(
        role="assistant",
        own=own_hash("assistant", text, *_call_hashes(calls)),
        content=_storable(text, most_bytes),
        tool_calls=_kept(calls),
        partial=partial,
        model=None if model is None else _storable(model, _LONGEST_NAME),
    )


def _entry(message: dict[str, Any], most_bytes: int) -> Entry | None:
    role = _ROLES.get(str(message.get("role")))
    if role is None:
        return None
    text = _text(message)
    if role == "assistant":
        return answer(message, most_bytes=most_bytes, partial=False, model=None)
    if role == "tool":
        return Entry(
            role=role,
            own=own_hash(role, text),
            content=_storable(text, _LONGEST_RESULT),
            call_id=str(message.get("tool_call_id")),
        )
    name = message.get("name")
    return Entry(
        role=role,
        own=own_hash(role, text),
        content=_storable(text, most_bytes),
        name=_storable(name, _LONGEST_NAME) if isinstance(name, str) and name.strip() else None,
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or message.get("refusal")
    if isinstance(content, str):
        text = content
    else:
        parts = [_part(part) for part in objects(content)]
        text = "\n".join(part for part in parts if part)
    # Also when a client sends back what we put in: it is nobody's words.
    return _OURS.sub("", text)


def _part(part: dict[str, Any]) -> str:
    """The words of a part, or a note of what it was: no picture is stored."""
    for kind in ("text", "refusal"):
        if isinstance(part.get(kind), str):
            return part[kind]
    kind = str(part.get("type", "part"))
    inner = as_dict(part.get(kind))
    if kind == "image_url":
        return f"[image: {_reference(inner.get('url', part.get(kind)))}]"
    data = inner.get("data") or inner.get("file_data")
    named = inner.get("filename") or inner.get("file_id") or inner.get("format") or ""
    kind = kind.removeprefix("input_")[:40]
    return f"[{kind}: {' '.join(filter(None, (str(named)[:_LONGEST_NAME], _digest(data))))}]"


def _reference(url: object) -> str:
    if not isinstance(url, str):
        return "unknown"
    if url.startswith("data:"):
        kind = url[5:100].partition(";")[0].partition(",")[0]
        return f"{kind} {_digest(url)}"
    try:
        # What follows the question mark may be a key.
        split = urlsplit(url)
    except ValueError:
        return _digest(url)
    return split._replace(query="", fragment="").geturl()[:_LONGEST_URL]


def _digest(data: object) -> str:
    if not isinstance(data, str):
        return ""
    return f"sha256 {sha256(data.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    older = as_dict(message.get("function_call"))
    if older:
        return [{"type": "function", "function": older}]
    return objects(message.get("tool_calls"))


def _function(call: dict[str, Any]) -> tuple[str, str]:
    kind = "custom" if call.get("type") == "custom" else "function"
    inner = as_dict(call.get(kind))
    return str(inner.get("name", "")), str(inner.get("arguments", inner.get("input", "")))


def _call_hashes(calls: Sequence[dict[str, Any]]) -> list[str]:
    """Names and arguments; ids are the client's to change, and so is the form of the JSON."""
    return [part for call in calls for part in (_function(call)[0], _plain(_function(call)[1]))]


def _plain(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _kept(calls: Sequence[dict[str, Any]]) -> Json:
    kept: list[Json] = []
    for call in calls:
        name, arguments = _function(call)
        function: Json = {
            "name": _storable(name, _LONGEST_NAME),
            "arguments": _storable(arguments, _LONGEST_RESULT),
        }
        id_ = _storable(str(call.get("id")), _LONGEST_NAME)
        kept.append({"id": id_, "type": "function", "function": function})
    return kept or None


def _storable(text: str, most_bytes: int) -> str:
    """What PostgreSQL can hold of a text, cut where it is too long."""
    plain = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    return plain[:most_bytes].decode("utf-8", "ignore")
