"""What a client's history held while the database was away, as the journal keeps it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from longterm.errors import MemoryNotFoundError
from longterm.memory import threads
from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.records.thread import Entry, Followed

# Hashes of so many messages are enough to find the place of the last one.
_MOST_KNOWN = 200


def of_history(entries: Sequence[Entry], *, named: str | None) -> JsonObject:
    """A history whose last messages are new; of those before only their hashes are kept."""
    shown = list(entries[-_MOST_KNOWN:])
    answered = [place for place, entry in enumerate(shown[:-1], 1) if entry.role == "assistant"]
    new_from = answered[-1] if answered else 0
    told = [_told(entry, whole=place >= new_from) for place, entry in enumerate(shown)]
    return {"entries": told, "named": named}


def of_answer(to: Followed, entry: Entry, *, stay: bool) -> JsonObject:
    """The answer to a question that was stored before the database went away."""
    return {
        "to": {"conversation_id": to.conversation_id, "chain": to.chain.hex()},
        "answer": _told(entry, whole=True),
        "stay": stay,
    }


async def write(conn: Conn, user_id: str, thread: JsonObject, *, said_at: datetime) -> int | None:
    """Store what of it is not there yet; returns the id of the message, if there is one."""
    told = cast("dict[str, Any]", thread)
    if "answer" not in told:
        entries = [_entry(one, said_at) for one in told["entries"]]
        try:
            followed = await threads.follow(conn, user_id, entries, named=told["named"])
        except MemoryNotFoundError:
            # Somebody else's: what was acknowledged is kept all the same.
            followed = await threads.follow(conn, user_id, entries)
        return followed.message_id
    to = Followed(
        conversation_id=told["to"]["conversation_id"],
        chain=bytes.fromhex(told["to"]["chain"]),
        message_id=None,
        stored=0,
    )
    return await threads.answer(
        conn, user_id, to, _entry(told["answer"], said_at), stay=told["stay"]
    )


def _told(entry: Entry, *, whole: bool) -> JsonObject:
    told: dict[str, Any] = {"role": entry.role, "own": entry.own.hex()}
    if whole:
        told |= {
            "content": entry.content,
            "name": entry.name,
            "tool_calls": entry.tool_calls,
            "call_id": entry.call_id,
            "partial": entry.partial,
            "model": entry.model,
        }
    return told


def _entry(told: dict[str, Any], said_at: datetime) -> Entry:
    fields: dict[str, Any] = {**told, "own": bytes.fromhex(told["own"]), "said_at": said_at}
    return Entry(**fields)
