"""Checkpoints of LangGraph: bytes that we keep and never read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.checkpoint import Blob, Channel, Checkpoint, NewCheckpoint, Thread, Write
from longterm.records.json import JsonObject
from longterm.store import checkpoint_threads

_HASH_BYTES = 32

COLUMNS = "user_id, thread_id, namespace, id, parent_id, kind, data, metadata, versions"

PUT = """
    INSERT INTO checkpoints (tenant_id, user_id, thread_id, namespace, id, parent_id, kind, data,
                             metadata, versions)
    VALUES (%(tenant_id)s, %(user_id)s, %(thread_id)s, %(namespace)s, %(id)s, %(parent_id)s,
            %(kind)s, %(data)s, %(metadata)s, %(versions)s)
        ON CONFLICT (tenant_id, user_id, thread_id, namespace, id) DO UPDATE
       SET parent_id = excluded.parent_id,
           kind = excluded.kind,
           data = excluded.data,
           metadata = excluded.metadata,
           versions = excluded.versions
"""

PUT_CHANNELS = """
    INSERT INTO checkpoint_channels (tenant_id, user_id, thread_id, namespace, channel, version,
                                     is_list, pieces)
    SELECT %(tenant_id)s, %(user_id)s, %(thread_id)s, %(namespace)s, channel, version, is_list,
           pieces
      FROM unnest(%(channels)s::text[], %(versions)s::text[], %(is_list)s::boolean[],
                  %(pieces)s::bytea[]) AS new (channel, version, is_list, pieces)
        ON CONFLICT (tenant_id, user_id, thread_id, namespace, channel, version) DO NOTHING
"""

KNOWN_PIECES = """
    SELECT hash
      FROM checkpoint_pieces
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND hash = ANY(%(hashes)s::bytea[])
"""

PUT_PIECES = """
    INSERT INTO checkpoint_pieces (tenant_id, user_id, thread_id, hash, kind, data)
    SELECT %(tenant_id)s, %(user_id)s, %(thread_id)s, hash, kind, data
      FROM unnest(%(hashes)s::bytea[], %(kinds)s::text[], %(data)s::bytea[])
           AS new (hash, kind, data)
        ON CONFLICT (tenant_id, user_id, thread_id, hash) DO NOTHING
"""

# What a task wrote stays as it was first; only errors, interrupts and the like, whose places are
# negative, are replaced.
PUT_WRITES = """
    INSERT INTO checkpoint_writes (tenant_id, user_id, thread_id, namespace, checkpoint_id,
                                   task_id, place, task_path, channel, kind, data)
    SELECT %(tenant_id)s, %(user_id)s, %(thread_id)s, %(namespace)s, %(checkpoint_id)s, task_id,
           place, task_path, channel, kind, data
      FROM unnest(%(task_ids)s::text[], %(places)s::integer[], %(task_paths)s::text[],
                  %(channels)s::text[], %(kinds)s::text[], %(data)s::bytea[])
           AS new (task_id, place, task_path, channel, kind, data)
        ON CONFLICT (tenant_id, user_id, thread_id, namespace, checkpoint_id, task_id, place)
        DO UPDATE
       SET task_path = excluded.task_path,
           channel = excluded.channel,
           kind = excluded.kind,
           data = excluded.data
     WHERE checkpoint_writes.place < 0
"""

GET = f"""
    SELECT {COLUMNS}
      FROM checkpoints
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND namespace = %(namespace)s
       AND id = %(id)s
"""

LATEST = f"""
    SELECT {COLUMNS}
      FROM checkpoints
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND namespace = %(namespace)s
     ORDER BY id DESC
     LIMIT 1
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM checkpoints
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (%(thread_id)s::text IS NULL OR thread_id = %(thread_id)s)
       AND (%(namespace)s::text IS NULL OR namespace = %(namespace)s)
       AND (%(id)s::text IS NULL OR id = %(id)s)
       AND (%(before)s::text IS NULL OR id < %(before)s)
       AND metadata::jsonb @> %(metadata)s::jsonb
     ORDER BY id DESC, thread_id, namespace
     LIMIT %(limit)s
    OFFSET %(offset)s
"""

CHANNELS = """
    SELECT channel, version, is_list, pieces
      FROM checkpoint_channels
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND namespace = %(namespace)s
       AND (channel, version) IN (SELECT key, value FROM json_each_text(%(versions)s::json))
     ORDER BY channel
"""

PIECES = """
    SELECT hash, kind, data
      FROM checkpoint_pieces
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND hash = ANY(%(hashes)s::bytea[])
     ORDER BY hash
"""

# In the order in which a running graph applies them.
WRITES = """
    SELECT task_id, place, task_path, channel, kind, data
      FROM checkpoint_writes
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(thread_id)s
       AND namespace = %(namespace)s
       AND checkpoint_id = %(checkpoint_id)s
     ORDER BY task_path, task_id, place
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A checkpoint without what is in its channels."""

    user_id: str
    thread_id: str
    namespace: str
    id: str
    parent_id: str | None
    kind: str
    data: bytes
    metadata: JsonObject
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRow:
    """A version of a channel, with the hashes of its pieces."""

    channel: str
    version: str
    is_list: bool
    pieces: bytes

    @property
    def hashes(self) -> list[bytes]:
        """The hashes of its pieces, in order."""
        starts = range(0, len(self.pieces), _HASH_BYTES)
        return [self.pieces[start : start + _HASH_BYTES] for start in starts]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceRow:
    """A piece with its hash."""

    hash: bytes
    kind: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _WriteRow:
    task_id: str
    place: int
    task_path: str
    channel: str
    kind: str
    data: bytes


async def put(conn: Conn, new: NewCheckpoint) -> None:
    """Store a checkpoint, and of its channels what is not stored yet."""
    await checkpoint_threads.rely_on_pieces(conn, new.thread.user_id)
    await _put_channels(conn, new)
    await conn.run(
        PUT,
        user_id=new.thread.user_id,
        thread_id=new.thread.thread_id,
        namespace=new.thread.namespace,
        id=new.id,
        parent_id=new.parent_id,
        kind=new.body.kind,
        data=new.body.data,
        metadata=JsonText(new.metadata),
        versions=JsonText(new.versions),
    )


async def _put_channels(conn: Conn, new: NewCheckpoint) -> None:
    if not new.channels:
        return
    place = {"user_id": new.thread.user_id, "thread_id": new.thread.thread_id}
    hashed = [[(hash_of(piece), piece) for piece in channel.pieces] for channel in new.channels]
    missing = dict(pair for pairs in hashed for pair in pairs)
    for known in await conn.values(KNOWN_PIECES, **place, hashes=list(missing)):
        del missing[known]
    if missing:
        await conn.run(
            PUT_PIECES,
            **place,
            hashes=list(missing),
            kinds=[piece.kind for piece in missing.values()],
            data=[piece.data for piece in missing.values()],
        )
    await conn.run(
        PUT_CHANNELS,
        **place,
        namespace=new.thread.namespace,
        channels=[channel.name for channel in new.channels],
        versions=[channel.version for channel in new.channels],
        is_list=[channel.is_list for channel in new.channels],
        pieces=[b"".join(hash_ for hash_, _ in pairs) for pairs in hashed],
    )


async def put_writes(
    conn: Conn, thread: Thread, *, checkpoint_id: str, writes: Sequence[Write]
) -> None:
    """Store what tasks have written, each place of a task once."""
    await conn.run(
        PUT_WRITES,
        user_id=thread.user_id,
        thread_id=thread.thread_id,
        namespace=thread.namespace,
        checkpoint_id=checkpoint_id,
        task_ids=[write.task_id for write in writes],
        places=[write.place for write in writes],
        task_paths=[write.task_path for write in writes],
        channels=[write.channel for write in writes],
        kinds=[write.value.kind for write in writes],
        data=[write.value.data for write in writes],
    )


async def get(conn: Conn, thread: Thread, *, id_: str | None) -> Checkpoint | None:
    """One checkpoint of a thread; the newest one where no id is given."""
    row = await conn.first(
        Row,
        LATEST if id_ is None else GET,
        user_id=thread.user_id,
        thread_id=thread.thread_id,
        namespace=thread.namespace,
        id=id_,
    )
    return None if row is None else await _whole(conn, row)


async def list_(
    conn: Conn,
    *,
    user_id: str,
    thread_id: str | None,
    namespace: str | None,
    id_: str | None,
    before: str | None,
    metadata: JsonObject,
    limit: int,
    offset: int,
) -> list[Checkpoint]:
    """Checkpoints of a user, newest first; None leaves a condition out."""
    rows = await conn.all(
        Row,
        LIST,
        user_id=user_id,
        thread_id=thread_id,
        namespace=namespace,
        id=id_,
        before=before,
        metadata=JsonText(metadata),
        limit=limit,
        offset=offset,
    )
    found = [await _whole(conn, row) for row in rows]
    return [one for one in found if one is not None]


async def _whole(conn: Conn, row: Row) -> Checkpoint | None:
    """The checkpoint with all that belongs to it; None where somebody deletes it meanwhile."""
    thread = Thread(user_id=row.user_id, thread_id=row.thread_id, namespace=row.namespace)
    channels = await _channels(conn, thread, row.versions)
    if channels is None:
        return None
    return Checkpoint(
        thread=thread,
        id=row.id,
        parent_id=row.parent_id,
        body=Blob(row.kind, row.data),
        metadata=row.metadata,
        channels=channels,
        writes=await writes_of(conn, thread, row.id),
    )


async def _channels(
    conn: Conn, thread: Thread, versions: Mapping[str, str]
) -> tuple[Channel, ...] | None:
    place = {"user_id": thread.user_id, "thread_id": thread.thread_id}
    rows = await conn.all(
        ChannelRow, CHANNELS, **place, namespace=thread.namespace, versions=JsonText(versions)
    )
    hashes = list({hash_ for row in rows for hash_ in row.hashes})
    found = await conn.all(PieceRow, PIECES, **place, hashes=hashes)
    if len(found) < len(hashes):
        return None
    pieces = {piece.hash: Blob(piece.kind, piece.data) for piece in found}
    return tuple(
        Channel(
            name=row.channel,
            version=row.version,
            is_list=row.is_list,
            pieces=tuple(pieces[hash_] for hash_ in row.hashes),
        )
        for row in rows
    )


async def writes_of(conn: Conn, thread: Thread, checkpoint_id: str) -> tuple[Write, ...]:
    """What tasks have written after a checkpoint, in the order in which a graph applies it."""
    rows = await conn.all(
        _WriteRow,
        WRITES,
        user_id=thread.user_id,
        thread_id=thread.thread_id,
        namespace=thread.namespace,
        checkpoint_id=checkpoint_id,
    )
    return tuple(
        Write(
            task_id=row.task_id,
            place=row.place,
            task_path=row.task_path,
            channel=row.channel,
            value=Blob(row.kind, row.data),
        )
        for row in rows
    )


def hash_of(piece: Blob) -> bytes:
    """By which a piece is known within its thread."""
    return sha256(piece.kind.encode() + b"\0" + piece.data).digest()
