"""Claude's `conversations.json`: messages in order or as a tree, their words in blocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from longterm.imports import trees
from longterm.imports.values import mapping, moment, sequence, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

_ROLES: Mapping[str, Literal["user", "assistant"]] = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
}
_KEPT = ("file_name", "file_type", "file_size", "file_uuid", "extracted_content")
# Of what hangs on one message: with more, the message itself would be refused.
MOST_ATTACHED = 400_000
# What Claude writes into `text` in the place of a block that is none.
_NO_BLOCK = "```\nThis block is not supported on your current device yet.\n```"


def is_one(item: object) -> bool:
    """Whether this is a conversation of Claude."""
    return isinstance(mapping(item).get("chat_messages"), list)


def read(item: object, where: str) -> Iterator[Foreign]:
    """A conversation with the text of its blocks; thoughts and tools are left out."""
    told = mapping(item)
    external_id = text(told.get("uuid"))
    if not external_id:
        yield Unread(where=where, reason="The conversation has no uuid.")
        return
    try:
        given = _shown(told, [mapping(one) for one in sequence(told.get("chat_messages"))])
    except trees.TreeError as error:
        yield Unread(where=where, reason=f"The conversation can't be followed: {error}.")
        return
    found = [_message(one, place) for place, one in enumerate(given)]
    shown = [message for message in found if message is not None]
    yield ForeignConversation(
        external_id=external_id,
        title=title(told.get("name")),
        messages=shown,
        left_out=len(found) - len(shown),
        extra={
            "created_at": moment(told.get("created_at")),
            "updated_at": moment(told.get("updated_at")),
            "pinned": told.get("is_starred") is True,
        },
    )


def _shown(told: Mapping[str, Any], given: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The branch that was shown, where messages name their parents; else all of them."""
    nodes = {text(one.get("uuid")): one for one in given}
    if not any(one.get("parent_message_uuid") in nodes for one in given):
        return given
    leaf = told.get("current_leaf_message_uuid")
    last = leaf if leaf in nodes else text(given[-1].get("uuid"))
    path = trees.path_to(last, nodes, lambda node: node.get("parent_message_uuid"))
    return [one for _, one in path]


def _message(told: Mapping[str, Any], place: int) -> ForeignMessage | None:
    role = _ROLES.get(text(told.get("sender")))
    blocks = [mapping(block) for block in sequence(told.get("content"))]
    words = "\n".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
    if not words.strip():
        words = text(told.get("text")).replace(_NO_BLOCK, "")
    payload = {
        "attachments": _files([*sequence(told.get("attachments")), *sequence(told.get("files"))]),
        "artifacts": _artifacts(blocks),
    }
    attached = {name: kept for name, kept in payload.items() if kept}
    if not words.strip() and attached:
        words = f"[{next(iter(attached))[:-1]}]"
    if role is None or not words.strip():
        return None
    return ForeignMessage(
        external_id=text(told.get("uuid")) or str(place),
        role=role,
        content=words,
        said_at=moment(told.get("created_at")),
        extra={"custom_payload": attached or None},
    )


def _files(given: Sequence[object]) -> list[dict[str, Any]]:
    files = [
        {key: text(one[key]) if isinstance(one[key], str) else one[key] for key in _KEPT
         if isinstance(one.get(key), str | int)}
        for one in map(mapping, given)
    ]  # fmt: skip
    return _within(files, "extracted_content")


def _artifacts(blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What Claude wrote beside its answer: documents, programs, pages."""
    made: list[dict[str, Any]] = []
    for block in blocks:
        given = mapping(block.get("input"))
        if block.get("name") == "artifacts" and text(given.get("content")):
            names = ("id", "title", "type", "language", "content")
            made.append({name: text(given[name]) for name in names if text(given.get(name))})
    return _within(made, "content")


def _within(given: list[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    """The same, without what would be too much."""
    room = MOST_ATTACHED
    for one in given:
        room -= len(str(one.get(what, "")).encode())
        if room < 0:
            one.pop(what, None)
    return given
