"""LibreChat's export of a conversation: a flat list with parents, or a tree of children."""

from collections.abc import Iterator, Mapping
from typing import Any

from longterm.imports import trees
from longterm.imports.values import mapping, moment, sequence, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread


def is_one(item: object) -> bool:
    """Whether this is a conversation of LibreChat."""
    told = mapping(item)
    given = told.get("messages", told.get("messagesTree"))
    return "conversationId" in told and isinstance(given, list)


def read(item: object, where: str) -> Iterator[Foreign]:
    """The branch that ends with the newest message."""
    told = mapping(item)
    external_id = text(told.get("conversationId"))
    given = _flat(sequence(told.get("messages", told.get("messagesTree"))))
    nodes = {text(one.get("messageId")): one for one in given if text(one.get("messageId"))}
    if not external_id:
        yield Unread(where=where, reason="The conversation has no conversationId.")
        return
    leaf = text(mapping(told.get("options")).get("currentMessageId")) or _newest(nodes)
    try:
        path = trees.path_to(leaf, nodes, lambda node: node.get("parentMessageId"))
    except trees.TreeError as error:
        yield Unread(where=where, reason=f"The conversation can't be followed: {error}.")
        return
    found = [_message(key, node) for key, node in path]
    shown = [message for message in found if message is not None]
    yield ForeignConversation(
        external_id=external_id,
        title=title(told.get("title")),
        messages=shown,
        left_out=len(found) - len(shown),
    )


def _flat(given: list[Any]) -> list[Mapping[str, Any]]:
    """Every message; children hang on their parents where it was exported as a tree."""
    flat: list[Mapping[str, Any]] = []
    waiting = [mapping(one) for one in reversed(given)]
    while waiting:
        one = waiting.pop()
        flat.append(one)
        waiting += [mapping(child) for child in reversed(sequence(one.get("children")))]
    return flat


def _newest(nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    parents = {node.get("parentMessageId") for node in nodes.values()}
    leaves = [key for key in nodes if key not in parents]
    return max(leaves, key=lambda key: text(nodes[key].get("createdAt")), default=None)


def _message(key: str, told: Mapping[str, Any]) -> ForeignMessage | None:
    words = text(told.get("text"))
    if not words.strip():
        blocks = [mapping(block) for block in sequence(told.get("content"))]
        words = "\n".join(_block(block) for block in blocks if block.get("type") == "text")
    if not words.strip():
        return None
    return ForeignMessage(
        external_id=key,
        role="user" if told.get("isCreatedByUser") is True else "assistant",
        content=words,
        said_at=moment(told.get("createdAt")),
        extra={"metadata": {"model": text(told["model"])} if text(told.get("model")) else None},
    )


def _block(block: Mapping[str, Any]) -> str:
    return text(block.get("text")) or text(mapping(block.get("text")).get("value"))
