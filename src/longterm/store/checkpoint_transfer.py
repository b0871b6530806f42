"""Checkpoints on their way out and in: each one with what no line before it has told."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.checkpoint import Blob, NewCheckpoint, Thread, Write
from longterm.records.json import JsonObject
from longterm.store import checkpoint_threads, checkpoints
from longterm.store.checkpoints import ChannelRow, PieceRow, Row

AFTER = f"""
    SELECT {checkpoints.COLUMNS}
      FROM checkpoints
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (thread_id, namespace, id) > (%(thread_id)s, %(namespace)s, %(id)s)
     ORDER BY thread_id, namespace, id
     LIMIT %(limit)s
"""

THREADS = """
    SELECT DISTINCT thread_id
      FROM checkpoints
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = ANY(%(thread_ids)s)
     ORDER BY thread_id
"""


@dataclass(slots=True)
class Told:
    """How far an export came, and what was told of the channels where it stands.

    No more than one state of a thread: a list that grows tells its new pieces only, and what a
    branch tells once more is known where it is read.
    """

    thread_id: str = ""
    namespace: str = ""
    id: str = ""
    versions: dict[str, str] = field(default_factory=dict[str, str])
    pieces: dict[str, frozenset[bytes]] = field(default_factory=dict[str, frozenset[bytes]])

    @property
    def place(self) -> tuple[str, str, str]:
        """The last checkpoint that was told."""
        return self.thread_id, self.namespace, self.id

    def move(self, row: Row) -> None:
        """Go on to a checkpoint; what was told of another thread counts no more."""
        if (row.thread_id, row.namespace) != (self.thread_id, self.namespace):
            self.versions, self.pieces = {}, {}
        self.thread_id, self.namespace, self.id = row.thread_id, row.namespace, row.id


async def after(conn: Conn, *, user_id: str, told: Told, limit: int) -> list[JsonObject]:
    """The next checkpoints as records, with their new pieces and their writes; moves `told`."""
    await checkpoint_threads.rely_on_pieces(conn, user_id)
    rows = await conn.all(
        Row,
        AFTER,
        user_id=user_id,
        thread_id=told.thread_id,
        namespace=told.namespace,
        id=told.id,
        limit=limit,
    )
    records: list[JsonObject] = []
    for row in rows:
        told.move(row)
        records += await _records(conn, row, told)
    return records


async def _records(conn: Conn, row: Row, told: Told) -> list[JsonObject]:
    thread = Thread(user_id=row.user_id, thread_id=row.thread_id, namespace=row.namespace)
    there = await conn.all(
        ChannelRow,
        checkpoints.CHANNELS,
        user_id=row.user_id,
        thread_id=row.thread_id,
        namespace=row.namespace,
        versions=JsonText(row.versions),
    )
    new = [one for one in there if told.versions.get(one.channel) != one.version]
    wanted = {
        hash_
        for one in new
        for hash_ in one.hashes
        if hash_ not in told.pieces.get(one.channel, ())
    }
    pieces = await _pieces(conn, thread, list(wanted))
    if len(pieces) < len(wanted):
        # Only where the user is being forgotten: nobody else takes pieces away now.
        return []
    told.versions = {one.channel: one.version for one in there}
    told.pieces |= {one.channel: frozenset(one.hashes) for one in new}
    writes = await checkpoints.writes_of(conn, thread, row.id)
    return [
        _checkpoint(row, there, new),
        *(_piece(row, piece) for piece in pieces),
        *(_write(row, write) for write in writes),
    ]


async def _pieces(conn: Conn, thread: Thread, hashes: Sequence[bytes]) -> list[PieceRow]:
    if not hashes:
        return []
    return await conn.all(
        PieceRow,
        checkpoints.PIECES,
        user_id=thread.user_id,
        thread_id=thread.thread_id,
        hashes=list(hashes),
    )


def _checkpoint(row: Row, there: Sequence[ChannelRow], new: Sequence[ChannelRow]) -> JsonObject:
    channels: list[Any] = []
    for one in there:
        channel: dict[str, Any] = {"name": one.channel, "version": one.version}
        if one in new:
            channel |= {"is_list": one.is_list, "pieces": [hash_.hex() for hash_ in one.hashes]}
        channels.append(channel)
    return {
        "type": "checkpoint",
        "thread_id": row.thread_id,
        "namespace": row.namespace,
        "id": row.id,
        "parent_id": row.parent_id,
        **_bytes(Blob(row.kind, row.data)),
        "metadata": row.metadata,
        "versions": dict(row.versions),
        "channels": channels,
    }


def _piece(row: Row, piece: PieceRow) -> JsonObject:
    return {
        "type": "checkpoint_piece",
        "thread_id": row.thread_id,
        "hash": piece.hash.hex(),
        **_bytes(Blob(piece.kind, piece.data)),
    }


def _write(row: Row, write: Write) -> JsonObject:
    return {
        "type": "checkpoint_write",
        "thread_id": row.thread_id,
        "namespace": row.namespace,
        "checkpoint_id": row.id,
        "task_id": write.task_id,
        "place": write.place,
        "task_path": write.task_path,
        "channel": write.channel,
        **_bytes(write.value),
    }


def _bytes(blob: Blob) -> JsonObject:
    return {"kind": blob.kind, "data": b64encode(blob.data).decode()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A checkpoint to take in; its own `channels` are empty, because they come as hashes here."""

    new: NewCheckpoint
    channels: Sequence[ChannelRow]
    # Channels that did not change since a checkpoint before, by name with their version.
    same: Mapping[str, str]
    pieces: Mapping[bytes, Blob]
    writes: Sequence[Write]


async def threads(conn: Conn, *, user_id: str, thread_ids: Sequence[str]) -> list[str]:
    """Those of these threads that have a checkpoint."""
    return await conn.values(THREADS, user_id=user_id, thread_ids=list(thread_ids))


async def is_there(conn: Conn, thread: Thread, id_: str) -> bool:
    """Whether a thread has this checkpoint."""
    place = {"user_id": thread.user_id, "thread_id": thread.thread_id}
    found = await conn.first(Row, checkpoints.GET, **place, namespace=thread.namespace, id=id_)
    return found is not None


async def lacks_something(conn: Conn, arrived: Arrived) -> bool:
    """Whether something is missing that a checkpoint before this one has brought."""
    thread = arrived.new.thread
    place = {"user_id": thread.user_id, "thread_id": thread.thread_id}
    await checkpoint_threads.rely_on_pieces(conn, thread.user_id)
    there = await conn.all(
        ChannelRow,
        checkpoints.CHANNELS,
        **place,
        namespace=thread.namespace,
        versions=JsonText(arrived.same),
    )
    named = {hash_ for channel in arrived.channels for hash_ in channel.hashes}
    needed = named - arrived.pieces.keys()
    known = await conn.values(checkpoints.KNOWN_PIECES, **place, hashes=list(needed))
    return len(there) < len(arrived.same) or len(known) < len(needed)


async def take_in(conn: Conn, arrived: Arrived) -> None:
    """Store a checkpoint that is not there, with its channels, pieces and writes."""
    thread = arrived.new.thread
    place = {"user_id": thread.user_id, "thread_id": thread.thread_id}
    await checkpoints.put(conn, arrived.new)
    await conn.run(
        checkpoints.PUT_PIECES,
        **place,
        hashes=list(arrived.pieces),
        kinds=[piece.kind for piece in arrived.pieces.values()],
        data=[piece.data for piece in arrived.pieces.values()],
    )
    await conn.run(
        checkpoints.PUT_CHANNELS,
        **place,
        namespace=thread.namespace,
        channels=[channel.channel for channel in arrived.channels],
        versions=[channel.version for channel in arrived.channels],
        is_list=[channel.is_list for channel in arrived.channels],
        pieces=[channel.pieces for channel in arrived.channels],
    )
    await checkpoints.put_writes(conn, thread, checkpoint_id=arrived.new.id, writes=arrived.writes)
