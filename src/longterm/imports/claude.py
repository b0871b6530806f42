"""Claude's `conversations.json`: messages in order, their words in blocks."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from longterm.imports.values import mapping, moment, sequence, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

_ROLES: Mapping[str, Literal["user", "assistant"]] = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
}
_KEPT = ("file_name", "file_type", "file_size", "file_uuid", "extracted_content")


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
    given = [mapping(one) for one in sequence(told.get("chat_messages"))]
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
        },
    )


def _message(told: Mapping[str, Any], place: int) -> ForeignMessage | None:
    role = _ROLES.get(text(told.get("sender")))
    blocks = [mapping(block) for block in sequence(told.get("content"))]
    words = "\n".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
    files = [
        {key: text(one[key]) if isinstance(one[key], str) else one[key] for key in _KEPT
         if isinstance(one.get(key), str | int)}
        for one in map(mapping, [*sequence(told.get("attachments")), *sequence(told.get("files"))])
    ]  # fmt: skip
    words = words if words.strip() else text(told.get("text"))
    if not words.strip() and files:
        words = "[attachment]"
    if role is None or not words.strip():
        return None
    return ForeignMessage(
        external_id=text(told.get("uuid")) or str(place),
        role=role,
        content=words,
        said_at=moment(told.get("created_at")),
        extra={"custom_payload": {"attachments": files} if files else None},
    )
