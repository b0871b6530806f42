"""Writes that may be repeated: each has an id, and is applied once under it."""

from uuid import UUID

from longterm.errors import ConflictError
from longterm.memory import inputs, repeated
from longterm.postgres.transaction import Conn
from longterm.store import applied_writes


def write_id(given: str | UUID | None, *what: object) -> str | None:
    """The id of a write: the caller's, or one made of `what` and the request's Idempotency-Key."""
    if given is not None:
        return inputs.uuid(given, "write_id")
    return repeated.id_in_request("\n".join(map(repr, what)))


async def begin(conn: Conn, id_: str | None, user_id: str) -> str | None:
    """Claim a write in its transaction; returns what it stored, if it was applied before."""
    if id_ is None or await applied_writes.claim(conn, id_=id_, user_id=user_id):
        return None
    record_id = await applied_writes.get_record(conn, id_=id_, user_id=user_id)
    if record_id is None:
        raise ConflictError("This write_id belongs to another write.")
    return record_id


async def finish(conn: Conn, id_: str | None, record_id: object) -> None:
    """Note what a write stored."""
    if id_ is not None:
        await applied_writes.set_record(conn, id_=id_, record_id=record_id)
