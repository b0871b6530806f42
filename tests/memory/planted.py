"""A user of whom something is everywhere, each time another word, to be looked for afterwards."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from longterm import AsyncTenant
from longterm.memory import threads
from longterm.memory.checkpoints import Checkpoints
from longterm.memory.idempotency import Idempotency
from longterm.memory.operations import Parts
from longterm.memory.outage import Utterance
from longterm.providers.model import Said
from longterm.records.checkpoint import Blob, Channel, NewCheckpoint, Thread, Write
from longterm.records.idempotency import Attempt
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.records.thread import Entry, own_hash
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.store import applied_writes, clarifications, imported
from tests.outside import UNDER_WAY, Raw, expire

PLACES = (
    "user", "question", "answer", "name", "payload", "metadata", "title", "fact", "oldfact",
    "category", "key", "place", "notes", "placeid", "memorykey", "memoryvalue", "mode", "session",
    "episode", "reply", "clarification", "journal", "window", "keyname", "toolcall",
    "suggested", "threadquestion", "threadcall", "graphthread", "graphmetadata", "graphstate",
    "graphpiece", "graphwrite",
)  # fmt: skip


def words(seed: str, places: Sequence[str] = PLACES) -> dict[str, str]:
    """One word for each place, which is nowhere else."""
    return {place: f"zq{seed}{place}zq" for place in places}


async def plant(mem: AsyncTenant, parts: Parts, tenant_id: int, planted: dict[str, str]) -> str:
    """Leave a word in every place; returns the conversation."""
    user = planted["user"]
    conversation = await mem.create_conversation(
        user, planted["title"], metadata={"a": planted["metadata"]}
    )
    for number in range(24):
        await mem.add_message(
            user, "user", f"{number} we talk of {planted['episode']} at length today.",
            conversation_id=conversation.id,
        )  # fmt: skip
    message = await mem.add_message(
        user, "user", f"My name is {planted['question']}.", name=planted["name"],
        conversation_id=conversation.id, custom_payload={"a": [planted["payload"]]},
    )  # fmt: skip
    await mem.add_message(
        user, "assistant", planted["answer"], conversation_id=conversation.id,
        tool_calls=[{"name": planted["toolcall"]}], suggested_values=[planted["suggested"]],
        suggested_actions=[planted["suggested"]],
    )  # fmt: skip
    await mem.add_fact(
        user, planted["oldfact"], category=planted["category"], key=planted["key"],
        source_conversation_id=conversation.id, source_message_id=message,
    )  # fmt: skip
    await mem.add_fact(
        user, planted["fact"], category=planted["category"], key=planted["key"],
        source_conversation_id=conversation.id, source_message_id=message,
    )  # fmt: skip
    await mem.add_poi(
        user, planted["placeid"], planted["place"], planted["notes"], conversation.id, message
    )
    session = await mem.create_session(user)
    await mem.store_turn(session, user, planted["session"], "answer", {"a": planted["session"]})
    await mem.digest(conversation.id)
    await mem.embed(user)
    await _plant_for_user(mem, parts, tenant_id, planted)
    await _plant_from_outside(parts, tenant_id, planted)
    await _plant_in_conversation(parts, tenant_id, planted, conversation.id, message)
    return conversation.id


async def _plant_for_user(
    mem: AsyncTenant, parts: Parts, tenant_id: int, planted: dict[str, str]
) -> None:
    user = planted["user"]
    await mem.set_memory(user, planted["memorykey"], {"a": planted["memoryvalue"]})
    await mem.set_user_state(user, planted["mode"])
    await mem.create_key(planted["keyname"], "user", user)
    attempt = Attempt(id=new_id(), caller="caller", key=new_id(), request_hash=b"hash")
    kept = Idempotency(parts, Scope(tenant_id))
    await kept.begin(attempt, lease=timedelta(minutes=1))
    await kept.finish(
        attempt, user_id=user, status=200, content_type="application/json",
        body=f'"{planted["reply"]}"'.encode(),
    )  # fmt: skip
    await mem.import_messages(
        user,
        [ImportedConversation(messages=[ImportedMessage(role="user", content="from elsewhere")])],
    )


async def _plant_from_outside(parts: Parts, tenant_id: int, planted: dict[str, str]) -> None:
    """What clients of the proxy sent, what was imported, and the states of a graph."""
    user = planted["user"]
    history = (
        Entry(role="user", own=own_hash("user", "q"), content=planted["threadquestion"]),
        Entry(role="assistant", own=own_hash("assistant", "a"), content="Wait.",
              tool_calls=[{"id": "1", "function": {"name": planted["threadcall"]}}]),
    )  # fmt: skip
    async with parts.database.tenant(Scope(tenant_id)) as conn:
        await threads.follow(conn, user, history)
        await applied_writes.claim(conn, id_=new_id(), user_id=user)
        await imported.add(conn, user_id=user, sources={bytes(32): new_id()})
    graph = Checkpoints(parts, Scope(tenant_id))
    thread = Thread(user_id=user, thread_id=planted["graphthread"])
    piece = Blob(kind="msgpack", data=planted["graphpiece"].encode())
    await graph.put(
        NewCheckpoint(
            thread=thread, id="1", parent_id=None,
            body=Blob(kind="json", data=planted["graphstate"].encode()),
            metadata={"a": planted["graphmetadata"]}, versions={"messages": "1"},
            channels=(Channel(name="messages", version="1", is_list=True, pieces=(piece,)),),
        )
    )  # fmt: skip
    write = Blob(kind="json", data=planted["graphwrite"].encode())
    await graph.put_writes(
        thread, "1",
        [Write(task_id="t", place=0, task_path="", channel="messages", value=write)],
    )  # fmt: skip


async def _plant_in_conversation(
    parts: Parts, tenant_id: int, planted: dict[str, str], conversation_id: str, message: int
) -> None:
    user = planted["user"]
    async with parts.database.tenant(Scope(tenant_id)) as conn:
        await conn.run(UNDER_WAY, question_id=message, user_id=user)
        await clarifications.put(
            conn, conversation_id=conversation_id, user_id=user, query=planted["clarification"],
            question="Which?", options=[{"label": "one"}], alive=timedelta(minutes=5),
        )  # fmt: skip
    parts.window.add((tenant_id, user, conversation_id), Said(by="user", text=planted["window"]))
    await parts.outage.keep(
        Utterance(
            id=new_id(), tenant_id=tenant_id, user_id=user, conversation_id=conversation_id,
            role="user", text=planted["journal"], said_at=datetime.now(UTC).isoformat(),
        )
    )  # fmt: skip


async def found_in_tables(raw: Raw, wanted: Sequence[str]) -> set[tuple[str, str]]:
    """Every word and the table whose rows hold it, whatever the column."""
    cursor = await raw.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'longterm'::regnamespace"
        " AND relkind IN ('r', 'p', 'm')"
    )
    found: set[tuple[str, str]] = set()
    for (table,) in await cursor.fetchall():
        rows = await raw.execute(
            # bytea columns are shown as what they are.
            f"SELECT DISTINCT word FROM unnest(%s::text[]) AS word, longterm.{table} AS one"  # pyright: ignore[reportArgumentType]
            " WHERE position(word IN one::text) > 0"
            " OR position(encode(convert_to(word, 'UTF8'), 'hex') IN one::text) > 0",
            [list(wanted)],
        )
        found |= {(word, table) for (word,) in await rows.fetchall()}
    return found


GONE = (
    "goneuser", "deletedvalue", "deletedkey", "replacedvalue", "deletedplace", "replacednotes",
    "deletedfact", "replacedfact", "deactivatedfact", "deletedmessage", "deletedconversation",
    "deletedtitle", "deletedsession", "expiredmessage", "trimmedmessage", "archivedmessage",
    "archivedfact", "deletedstate", "revokedkey",
)  # fmt: skip


async def plant_and_remove(mem: AsyncTenant, raw: Raw, planted: dict[str, str]) -> None:
    """Leave a word in many places and take each of them away again, but for what is archived."""
    user = planted["goneuser"]
    await mem.set_memory(user, planted["deletedkey"], {"a": planted["deletedvalue"]})
    await mem.delete_memory(user, planted["deletedkey"])
    await mem.set_memory(user, "key", {"a": planted["replacedvalue"]})
    await mem.set_memory(user, "key", {"a": "new"})
    await mem.clear_all_memory(user)
    await mem.set_user_state(user, planted["deletedstate"])
    await mem.delete_user_state(user)
    key = await mem.create_key(planted["revokedkey"], "user", user)
    await mem.revoke_key(key.key.id)
    await mem.add_poi(user, "a", planted["deletedplace"], planted["replacednotes"])
    await mem.add_poi(user, "a", planted["deletedplace"], "other notes")
    await mem.delete_poi(user, "a")
    for word in ("deletedfact", "replacedfact", "deactivatedfact", "archivedfact"):
        fact = await mem.add_fact(user, planted[word])
        if word == "deactivatedfact":
            await mem.deactivate_fact(user, fact.id)
            continue
        await mem.update_fact(user, fact.id, content=f"{planted[word]} again")
        await mem.update_fact(user, fact.id, archived=word == "archivedfact")
        if word != "archivedfact":
            await mem.delete_fact(user, fact.id)
    await _remove_messages(mem, raw, planted)


async def _remove_messages(mem: AsyncTenant, raw: Raw, planted: dict[str, str]) -> None:
    user = planted["goneuser"]
    message = await mem.add_message(user, "user", planted["deletedmessage"])
    await mem.digest((await mem.current_conversation(user)).id)
    await mem.embed(user)
    await mem.delete_message(message)
    deleted = await mem.create_conversation(user, planted["deletedtitle"])
    await mem.add_message(user, "user", planted["deletedconversation"], conversation_id=deleted.id)
    await mem.digest(deleted.id)
    await mem.delete_conversation(user, deleted.id)
    for word in ("deletedsession", "expiredmessage"):
        session = await mem.create_session(user)
        await mem.store_turn(session, user, planted[word], "answer")
        await mem.digest(session)
        if word == "deletedsession":
            await mem.delete_session(session)
        else:
            await expire(raw, session)
    await mem.cleanup()
    for word in ("trimmedmessage", "archivedmessage"):
        await mem.add_message(user, "user", planted[word])
        await mem.digest((await mem.current_conversation(user)).id)
        await mem.trim_history(user, keep_last=0, archive=word == "archivedmessage")
