"""What an import brings beside conversations: facts, places, values, state, checkpoints."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, get_args
from uuid import UUID, uuid5

from longterm.errors import ConflictError, InvalidInputError
from longterm.imports.values import mapping, moment, sequence, text
from longterm.learn import merge
from longterm.memory import checkpoint_import, inputs, remembering
from longterm.memory.inputs import Limits
from longterm.postgres.transaction import Conn
from longterm.records.fact import FACT_TYPES, ORIGINS, Closed, NewFact
from longterm.records.importing import ForeignConversation, ForeignRecord, Format, Unread
from longterm.records.job import EMBED, NewJob
from longterm.store import checkpoint_transfer, imported, jobs
from longterm.text import tokens
from longterm.text.secrets import gate

_OURS = UUID("5d8a4a9c-6c1e-4a53-9d0e-0a6a6c8f1b70")


class Links:
    """Where foreign ids lead: the same in every run, other ones for another user."""

    def __init__(self, tenant_id: int, user_id: str, format_: Format, begun: datetime) -> None:
        self.format: Format = format_
        self.begun = begun
        self._whose = f"{tenant_id}\0{user_id}\0{format_}"
        self._messages: dict[str, tuple[str, int, str]] = {}

    def conversation(self, external_id: str) -> str:
        """Our id of a foreign conversation."""
        return str(uuid5(_OURS, f"{self._whose}\0conversation\0{external_id}"))

    def fact(self, external_id: str) -> str:
        """Our id of a foreign fact."""
        return str(uuid5(_OURS, f"{self._whose}\0fact\0{external_id}"))

    def source(self, *names: str) -> bytes:
        """The hash of where something comes from."""
        return sha256("\0".join((self.format, *names)).encode()).digest()

    def remember(self, told: ForeignConversation) -> None:
        """Remember where messages stand, for facts that name them."""
        if self.format != "longterm":
            return
        id_ = self.conversation(told.external_id)
        for message in told.messages:
            self._messages[message.external_id] = (id_, message.turn or 0, message.role)

    def message(self, external_id: object) -> tuple[str, int, str] | None:
        """Where a message stands that was read before."""
        return self._messages.get(str(external_id))


@dataclass(slots=True)
class Checked:
    """Records that can be stored, and those that can't."""

    limits: Limits
    records: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    unread: list[Unread] = field(default_factory=list[Unread])

    def add(self, record: ForeignRecord) -> None:
        """Check a record as if it was given to us; counts tokens, so it takes time."""
        try:
            self.records.append((record.kind, _CHECKS[record.kind](self.limits, record.data)))
        except (InvalidInputError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, InvalidInputError) else "A field is wrong."
            self.unread.append(Unread(where=f"a {record.kind}", reason=reason))


@dataclass(slots=True)
class Stored:
    """How many records were new, and those that could not be stored after all."""

    counts: Counter[str] = field(default_factory=Counter[str])
    unread: list[Unread] = field(default_factory=list[Unread])


def _fact(_: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    words = inputs.fact_content(data.get("content"))
    gate.check_fact(words, category=text(data.get("category")), key=text(data.get("key")))
    valid_from = _needed(data, "valid_from")
    closed = data.get("closed")
    category, key = _name(data, "category"), _name(data, "key")
    if key is not None and category is None:
        raise InvalidInputError("A fact with a key needs a category.")
    return {
        "external_id": text(data.get("id")),
        "version": inputs.number(data.get("version"), "version", least=1, most=2**31 - 1),
        "fact_type": inputs.choice(data.get("fact_type"), "fact_type", FACT_TYPES),
        "category": category,
        "key": key,
        "content": words,
        "fingerprint": merge.gist(words),
        "confidence": inputs.share(data.get("confidence"), "confidence"),
        "importance": inputs.share(data.get("importance"), "importance"),
        "pinned": data.get("pinned") is True,
        "archived": data.get("archived") is True,
        "origin": inputs.choice(data.get("origin"), "origin", ORIGINS),
        "said_at": _needed(data, "said_at"),
        "recorded_at": _needed(data, "recorded_at"),
        "valid_from": valid_from,
        "valid_to": None if closed is None else max(_needed(data, "valid_to"), valid_from),
        "closed": None if closed is None else inputs.choice(closed, "closed", get_args(Closed)),
        "said_count": inputs.number(data.get("said_count"), "said_count", least=1, most=2**31 - 1),
        "source_conversation_id": text(data.get("source_conversation_id")),
        "source_message_id": data.get("source_message_id"),
        "source_gone": data.get("source_gone") is True,
        "span_start": _number(data, "span_start"),
        "span_end": _number(data, "span_end"),
        "extractor": _name(data, "extractor"),
        "tokens": tokens.count(words),
        "access_count": _number(data, "access_count") or 0,
        "last_accessed_at": moment(data.get("last_accessed_at")),
    }


def _place(_: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    place_id = inputs.open_name(data.get("place_id"), "place_id")
    name = inputs.sentence(data.get("place_name"), "place_name")
    notes = data.get("notes")
    if notes is not None:
        notes = inputs.sentence(notes, "notes", longest=500)
    gate.check_place(place_id, name, notes)
    mentions = [mapping(one) for one in sequence(data.get("mentions"))]
    for mention in mentions:
        for field_ in ("conversation_id", "message_id"):
            gate.check_reference(text(str(mention.get(field_))), field_)
    return {
        "place_id": place_id,
        "place_name": name,
        "notes": notes,
        "tokens": tokens.count(f"{name} {notes or ''}".strip()),
        "added_at": _needed(data, "added_at"),
        "mentions": mentions,
    }


def _memory(limits: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    value = inputs.json_object(data.get("value"), "value", limits=limits)
    key = inputs.open_name(data.get("key"), "key")
    gate.check_memory(key, value)
    return {"key": key, "value": value, "updated_at": _needed(data, "updated_at")}


def _user(_: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "mode": _name(data, "mode"),
        "at": moment(data.get("mode_updated_at")),
        "current": text(data.get("current_conversation_id")),
    }


def _statement(_: Limits, data: Mapping[str, Any]) -> dict[str, Any]:
    words = inputs.fact_content(data.get("content"))
    gate.check_fact(words, category=None, key=None)
    return {**data, "content": words, "tokens": tokens.count(words)}


_CHECKS: Mapping[str, Callable[[Limits, Mapping[str, Any]], dict[str, Any]]] = {
    "fact": _fact,
    "place": _place,
    "user": _user,
    "memory": _memory,
    "statement": _statement,
    "checkpoint": checkpoint_import.check,
}


async def store(
    conn: Conn, user_id: str, checked: Checked, links: Links, *, limit_tokens: int
) -> Stored:
    """Store records that are not there yet; what is there stays as it is."""
    stored = Stored()
    sources = [_source(kind, data, links) for kind, data in checked.records]
    known = await imported.known(conn, user_id=user_id, sources=sources)
    deleted = await _deleted_threads(conn, user_id, checked, links)
    taken: dict[bytes, str] = {}
    for source, (kind, data) in zip(sources, checked.records, strict=True):
        if source in known or data.get("thread_id") in deleted:
            continue
        if kind == "statement":
            stored.counts["facts"] += await _state(conn, user_id, data, limit_tokens)
        elif not await _store_one(conn, user_id, (kind, data), links, stored):
            continue
        taken[source] = str(_OURS)
        if kind == "checkpoint":
            taken[links.source("thread", data["thread_id"])] = str(_OURS)
    if taken:
        await imported.add(conn, user_id=user_id, sources=taken)
    if stored.counts["facts"]:
        await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
    return stored


async def _store_one(
    conn: Conn, user_id: str, record: tuple[str, dict[str, Any]], links: Links, stored: Stored
) -> bool:
    """Store a record of our own export, and tell whether it is there now."""
    kind, data = record
    if kind == "fact":
        stored.counts["facts"] += await _store_fact(conn, user_id, data, links)
    elif kind == "place":
        stored.counts["places"] += await _store_place(conn, user_id, data, links)
    elif kind == "memory":
        stored.counts["memories"] += await imported.insert_memory(conn, user_id=user_id, **data)
    elif kind == "checkpoint":
        return await _store_checkpoint(conn, user_id, data, stored)
    else:
        await _set_user(conn, user_id, data, links)
    return True


async def _deleted_threads(
    conn: Conn, user_id: str, checked: Checked, links: Links
) -> frozenset[str]:
    """Threads of LangGraph that were taken in before and are not there: they stay out."""
    named = {data["thread_id"] for kind, data in checked.records if kind == "checkpoint"}
    if not named:
        return frozenset()
    sources = {links.source("thread", thread_id): thread_id for thread_id in named}
    known = await imported.known(conn, user_id=user_id, sources=list(sources))
    before = [sources[source] for source in known]
    there = await checkpoint_transfer.threads(conn, user_id=user_id, thread_ids=before)
    return frozenset(before) - frozenset(there)


async def _store_checkpoint(
    conn: Conn, user_id: str, data: Mapping[str, Any], stored: Stored
) -> bool:
    """Store one and tell whether it is there now."""
    try:
        new = await checkpoint_import.store(conn, user_id, data["arrived"])
    except InvalidInputError as error:
        stored.unread.append(Unread(where="a checkpoint", reason=str(error)))
        return False
    stored.counts["checkpoints"] += new
    return True


async def _set_user(conn: Conn, user_id: str, data: Mapping[str, Any], links: Links) -> None:
    if data["mode"] is not None:
        await imported.set_mode(conn, user_id=user_id, mode=data["mode"], at=data["at"])
    if data["current"]:
        current = links.conversation(data["current"])
        await imported.set_current(conn, user_id=user_id, conversation_id=current)


def _source(kind: str, data: Mapping[str, Any], links: Links) -> bytes:
    name = data.get("external_id") or data.get("id") or data.get("place_id") or data.get("key")
    return links.source(kind, str(name), str(data.get("version")))


async def _store_fact(conn: Conn, user_id: str, data: dict[str, Any], links: Links) -> bool:
    place = links.message(data["source_message_id"])
    found = {} if place is None else await imported.ids_of(conn, [place])
    old = data["source_conversation_id"]
    fact = {key: value for key, value in data.items() if key != "external_id"}
    fact |= {
        "id": links.fact(data["external_id"]),
        "source_message_id": found.get(0),
        # Of a message that is not in the file nobody can tell more than that it is not here.
        "source_gone": data["source_gone"]
        or (data["source_message_id"] is not None and 0 not in found),
        "source_conversation_id": links.conversation(old) if old else None,
    }
    return await imported.insert_fact(conn, user_id=user_id, fact=fact)


async def _state(conn: Conn, user_id: str, data: Mapping[str, Any], limit_tokens: int) -> bool:
    said_at: datetime | None = data["said_at"]
    new = NewFact(
        user_id=user_id,
        type="fact",
        category=None,
        key=None,
        content=data["content"],
        confidence=1.0,
        importance=0.5,
        origin="import",
        said_at=min(said_at or remembering.now(), remembering.now()),
        tokens=data["tokens"],
    )
    try:
        fact, _ = await remembering.remember(conn, new, actor="api", limit_tokens=limit_tokens)
    except ConflictError:
        return False
    return fact is not None


async def _store_place(conn: Conn, user_id: str, data: dict[str, Any], links: Links) -> bool:
    given: list[Mapping[str, Any]] = data["mentions"]
    placed = {number: place for number, mention in enumerate(given)
              if (place := links.message(mention.get("message_id"))) is not None}  # fmt: skip
    ids = await imported.ids_of(conn, list(placed.values()))
    found = {number: ids.get(order) for order, number in enumerate(placed)}
    mentions = [
        {
            "conversation_id": placed[number][0]
            if number in placed
            else text(mention.get("conversation_id")),
            "message_id": str(found.get(number) or text(str(mention.get("message_id")))),
            "mentioned_at": moment(mention.get("mentioned_at")) or data["added_at"],
        }
        for number, mention in enumerate(given)
    ]
    place_row = {key: value for key, value in data.items() if key != "mentions"}
    return await imported.insert_place(conn, user_id=user_id, place=place_row, mentions=mentions)


def _needed(data: Mapping[str, Any], name: str) -> datetime:
    at = moment(data.get(name))
    if at is None:
        raise InvalidInputError(f"{name} must be a time.")
    return at


def _name(data: Mapping[str, Any], name: str) -> str | None:
    return None if data.get(name) is None else inputs.name(data[name], name)


def _number(data: Mapping[str, Any], name: str) -> int | None:
    value = data.get(name)
    return None if value is None else inputs.number(value, name, least=0, most=2**31 - 1)
