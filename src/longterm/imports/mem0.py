"""mem0's memories: statements about a user, with when they were made."""

from collections.abc import Iterator

from longterm.imports.values import identifier, mapping, moment, text
from longterm.records.importing import Foreign, ForeignRecord, Unread


def is_one(item: object) -> bool:
    """Whether this is a memory of mem0."""
    return isinstance(mapping(item).get("memory"), str)


def read(item: object, where: str) -> Iterator[Foreign]:
    """A statement of at most 500 characters."""
    told = mapping(item)
    words, external_id = text(told.get("memory")).strip(), identifier(told.get("id"))
    if not external_id or not 1 <= len(words) <= 500:
        yield Unread(where=where, reason="A memory needs an id and 1 to 500 characters.")
        return
    said_at = moment(told.get("updated_at")) or moment(told.get("created_at"))
    data = {"id": external_id, "content": words, "said_at": said_at}
    yield ForeignRecord(kind="statement", data=data)
