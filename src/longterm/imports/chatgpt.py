"""ChatGPT's `conversations.json`: each conversation a tree, of which one branch was shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from longterm.imports import trees
from longterm.imports.values import mapping, moment, sequence, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

# Where a source is named, between characters that nobody sees: its number leads nowhere.
_CITED = re.compile("\ue200[^\ue200\ue201]*\ue201")


def is_one(item: object) -> bool:
    """Whether this is a conversation of ChatGPT."""
    return isinstance(mapping(item).get("mapping"), dict)


def read(item: object, where: str) -> Iterator[Foreign]:
    """The branch that was shown, from its first message to the current one."""
    told = mapping(item)
    nodes = {key: mapping(node) for key, node in mapping(told.get("mapping")).items()}
    external_id = text(told.get("conversation_id")) or text(told.get("id"))
    if not external_id:
        yield Unread(where=where, reason="The conversation has no id.")
        return
    try:
        path = trees.path_to(_leaf(told, nodes), nodes, lambda node: node.get("parent"))
    except trees.TreeError as error:
        yield Unread(where=where, reason=f"The conversation can't be followed: {error}.")
        return
    found = [_message(key, mapping(node.get("message"))) for key, node in path]
    shown = [message for message in found if message is not None]
    hidden = sum(
        message is None and bool(node.get("message"))
        for message, (_, node) in zip(found, path, strict=True)
    )
    yield ForeignConversation(
        external_id=external_id,
        title=title(told.get("title")),
        messages=shown,
        left_out=hidden,
        extra={
            "created_at": moment(told.get("create_time")),
            "updated_at": moment(told.get("update_time")),
            "archived": told.get("is_archived") is True,
            "pinned": told.get("is_starred") is True,
        },
    )


def _leaf(told: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> object:
    """The current node; where it is missing, the last message that nothing follows."""
    if told.get("current_node") in nodes:
        return told["current_node"]
    leaves = [key for key, node in nodes.items() if not sequence(node.get("children"))]
    return leaves[-1] if leaves else None


def _message(key: str, message: Mapping[str, Any]) -> ForeignMessage | None:
    """What a person or the assistant said; None for what was not shown to anybody."""
    author, about = mapping(message.get("author")), mapping(message.get("metadata"))
    role = author.get("role")
    hidden = about.get("is_visually_hidden_from_conversation") is True
    to = message.get("recipient")
    if role not in ("user", "assistant") or hidden or to not in (None, "all"):
        return None
    words, attached = _content(mapping(message.get("content")))
    if not words.strip():
        return None
    files = [_file(mapping(one)) for one in sequence(about.get("attachments"))]
    payload: dict[str, Any] = {}
    if files or attached:
        payload["attachments"] = [*files, *attached]
    model = text(about.get("model_slug"))
    return ForeignMessage(
        external_id=text(message.get("id")) or key,
        role="user" if role == "user" else "assistant",
        content=words,
        said_at=moment(message.get("create_time")),
        extra={
            "custom_payload": payload or None,
            "metadata": {"model": model} if model else None,
        },
    )


def _content(content: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """The words, and what else there was: pictures and the like, by their pointers."""
    kind = content.get("content_type")
    if kind in ("text", "multimodal_text"):
        words: list[str] = []
        others: list[dict[str, Any]] = []
        for part in sequence(content.get("parts")):
            if isinstance(part, str):
                words.append(text(part))
            elif text(mapping(part).get("text")):
                # What was spoken, written down.
                words.append(text(mapping(part).get("text")))
            else:
                others.append(_file(mapping(part)))
        said = _CITED.sub("", "\n".join(word for word in words if word))
        return said or ("[attachment]" if others else ""), others
    if kind == "code":
        return text(content.get("text")), []
    return "", []


def _file(told: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("id", "name", "mime_type", "mimeType", "size", "content_type", "asset_pointer")
    return {
        key: text(told[key]) if isinstance(told[key], str) else told[key]
        for key in kept
        if isinstance(told.get(key), str | int)
    }
