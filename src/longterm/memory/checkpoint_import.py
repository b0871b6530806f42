"""LangGraph's checkpoints from an export: checked, and each with all it needs or not at all."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from longterm.errors import InvalidInputError
from longterm.imports.values import mapping, sequence
from longterm.memory import inputs
from longterm.memory.inputs import Limits
from longterm.postgres.transaction import Conn
from longterm.records.checkpoint import Blob, NewCheckpoint, Thread, Write
from longterm.records.json import text
from longterm.store import checkpoint_transfer
from longterm.store.checkpoint_transfer import Arrived
from longterm.store.checkpoints import ChannelRow, hash_of

# PostgreSQL refuses a key of more than 2,704 bytes, and a user's id may have 1,020 of them.
_MOST_OF_KEY = 1_500
_SMALLEST, _LARGEST = -(2**31), 2**31 - 1


def check(limits: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    """A checkpoint that can be stored, as soon as it is somebody's."""
    place = [_name(data, "thread_id"), _text(data, "namespace"), _name(data, "id")]
    told = [mapping(one) for one in sequence(data.get("channels"))]
    writes = [_write(mapping(one), place) for one in sequence(data.get("writes"))]
    new = NewCheckpoint(
        thread=Thread(user_id="", thread_id=place[0], namespace=place[1]),
        id=place[2],
        parent_id=None if data.get("parent_id") is None else _name(data, "parent_id"),
        body=_blob(data),
        metadata=inputs.json_object(data.get("metadata"), "metadata", limits=limits),
        versions={text(name, "channel"): text(version, "version")
                  for name, version in mapping(data.get("versions")).items()},
        channels=(),
    )  # fmt: skip
    arrived = Arrived(
        new=new,
        channels=[_channel(one, place) for one in told if "pieces" in one],
        same={_name(one, "name"): _name(one, "version") for one in told if "pieces" not in one},
        pieces=dict(_piece(mapping(one)) for one in sequence(data.get("pieces"))),
        # Of two in the same place the later one counts, as LangGraph has it.
        writes=list({(write.task_id, write.place): write for write in writes}.values()),
    )
    _short(place)
    return {"external_id": "\0".join(place), "thread_id": place[0], "arrived": arrived}


async def store(conn: Conn, user_id: str, arrived: Arrived) -> bool:
    """Store a checkpoint and tell whether it was new; an error where what it rests on is gone."""
    new = replace(arrived.new, thread=replace(arrived.new.thread, user_id=user_id))
    theirs = replace(arrived, new=new)
    if await checkpoint_transfer.is_there(conn, new.thread, new.id):
        return False
    if await checkpoint_transfer.lacks_something(conn, theirs):
        raise InvalidInputError("It rests on a checkpoint that is not there any more.")
    await checkpoint_transfer.take_in(conn, theirs)
    return True


def _channel(told: Mapping[str, Any], place: list[str]) -> ChannelRow:
    name, version = _name(told, "name"), _name(told, "version")
    _short([*place, name, version])
    hashes = [_hash(one) for one in sequence(told.get("pieces"))]
    is_list = told.get("is_list") is True
    if not is_list and len(hashes) != 1:
        raise InvalidInputError("A channel that is no list has one piece.")
    return ChannelRow(channel=name, version=version, is_list=is_list, pieces=b"".join(hashes))


def _piece(told: Mapping[str, Any]) -> tuple[bytes, Blob]:
    blob = _blob(told)
    # A piece under another's hash would be taken for that one in all that comes after.
    if hash_of(blob) != _hash(told.get("hash")):
        raise InvalidInputError("A piece is damaged: it has another hash.")
    return hash_of(blob), blob


def _write(told: Mapping[str, Any], place: list[str]) -> Write:
    task_id = _name(told, "task_id")
    _short([*place, task_id])
    return Write(
        task_id=task_id,
        place=inputs.number(told.get("place"), "place", least=_SMALLEST, most=_LARGEST),
        task_path=_text(told, "task_path"),
        channel=_name(told, "channel"),
        value=_blob(told),
    )


def _blob(told: Mapping[str, Any]) -> Blob:
    kind = _text(told, "kind")
    try:
        return Blob(kind, b64decode(text(told.get("data"), "data"), validate=True))
    except binascii.Error:
        raise InvalidInputError("data must be in base64.") from None


def _hash(value: object) -> bytes:
    try:
        hash_ = bytes.fromhex(text(value, "hash"))
    except ValueError:
        hash_ = b""
    if len(hash_) != 32:
        raise InvalidInputError("hash must be 32 bytes in hexadecimal digits.")
    return hash_


def _short(key: list[str]) -> None:
    if sum(len(part.encode()) for part in key) > _MOST_OF_KEY:
        raise InvalidInputError(f"Its names must have at most {_MOST_OF_KEY:,} bytes together.")


def _name(told: Mapping[str, Any], name: str) -> str:
    return inputs.name(told.get(name), name)


def _text(told: Mapping[str, Any], name: str) -> str:
    return text(told.get(name), name)
