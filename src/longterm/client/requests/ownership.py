"""What users own: everything out, everything in, everything gone."""

from pathlib import Path
from typing import Literal
from uuid import UUID

from longterm.client.pieces import Lines, Reports
from longterm.client.reading import as_it_is, record
from longterm.client.request import Request, given, message_step, of_user, uuid_step
from longterm.client.request import path as path_of
from longterm.client.requests.history import in_conversation
from longterm.records.forgetting import Receipt
from longterm.records.importing import Format, ImportReport
from longterm.records.json import JsonObject


def export_user(user_id: str) -> Request[JsonObject]:
    """Yield everything of a user: a header, the records, and an end that counts them."""
    return Request(
        method="GET",
        path=of_user(user_id, "export"),
        user_id=user_id,
        pieces=Lines,
        read=as_it_is,
    )


def import_conversations(
    user_id: str,
    path: str | Path,
    *,
    format: Format | Literal["auto"] = "auto",  # noqa: A002
) -> Request[ImportReport]:
    """Store what a file of ChatGPT, Claude or another program holds, as this user's.

    Run again, it stores only what is new. A conversation is there as a whole or not at all.
    """
    return import_stream(user_id, path, format=format)


def import_stream(
    user_id: str,
    path: str | Path,
    *,
    format: Format | Literal["auto"] = "auto",  # noqa: A002
) -> Request[ImportReport]:
    """Import as `import_conversations` does, and yield what was done so far as it goes on."""
    return Request(
        method="POST",
        path=of_user(user_id, "import"),
        user_id=user_id,
        query={"format": format},
        file=path,
        pieces=Reports,
        read=record(ImportReport),
    )


def forget_user(user_id: str) -> Request[Receipt]:
    """Delete everything of a user: every row of every table, the queue, the journal, RAM."""
    return _forgetting(of_user(user_id), user_id)


def forget_conversation(user_id: str, conversation_id: str | UUID) -> Request[Receipt]:
    """Delete a conversation with all that was made of it, also the facts that rest on it."""
    return _forgetting(
        path_of("api", "conversations", uuid_step(conversation_id, "conversation_id")),
        user_id,
        forget=True,
    )


def forget_message(
    user_id: str, message_id: int | str, *, conversation_id: str | UUID | None = None
) -> Request[Receipt]:
    """Delete a message with all that was made of it; the turns around it keep their numbers.

    Facts that rest on others too stay, and what it replaced holds again.
    """
    if conversation_id is None:
        return _forgetting(
            path_of("api", "messages", message_step(message_id)), user_id, forget=True
        )
    return _forgetting(in_conversation(conversation_id, message_id), user_id, forget=True)


def rewind(
    user_id: str, message_id: int | str, *, conversation_id: str | UUID | None = None
) -> Request[Receipt]:
    """Forget a message and all after it in its conversation, which goes on from there."""
    if conversation_id is None:
        return _forgetting(
            path_of("api", "messages", message_step(message_id)), user_id, and_later=True
        )
    return _forgetting(in_conversation(conversation_id, message_id), user_id, and_later=True)


def _forgetting(
    path: str, user_id: str, *, forget: bool | None = None, and_later: bool | None = None
) -> Request[Receipt]:
    return Request(
        method="DELETE",
        path=path,
        user_id=user_id,
        query=given(forget=forget, and_later=and_later),
        read=record(Receipt),
        # Done once more, it finds nothing: a receipt would say that nothing was forgotten.
        repeatable=False,
    )
