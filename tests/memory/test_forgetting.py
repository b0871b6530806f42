"""§3 Yours: what is forgotten is in no table, queue, journal or cache, and does not come back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from longterm import (
    AsyncTenant,
    HaltedError,
    LongtermError,
    MemoryNotFoundError,
    Settings,
    UnavailableError,
)
from longterm.journal.group import AsyncJournal
from longterm.journal.journal import Journal
from longterm.memory import forgetting, said
from longterm.memory.idempotency import Idempotency
from longterm.memory.outage import Outage, Utterance
from longterm.memory.speakers import Speakers
from longterm.memory.temporary import TemporaryTalks
from longterm.observe.metrics import Metrics
from longterm.providers.embedders import Embedders
from longterm.providers.model import Said
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.idempotency import Attempt
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import erasure
from tests.memory.planted import found_in_tables, plant, words
from tests.outside import Raw, rows_of

JANUARY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def conninfo(new_database: Callable[[str], str]) -> str:
    """A database of their own: they look for a word in every row that there is."""
    return new_database("forgetting")


@pytest.fixture(scope="module")
async def runtime(conninfo: str) -> AsyncIterator[Runtime]:
    async with Runtime(Settings(database_url=conninfo, connect_timeout_s=60)) as running:
        yield running


@pytest.fixture
def mem(runtime: Runtime, tenant_id: int) -> AsyncTenant:
    """With vectors that cost nothing."""
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    return AsyncTenant(replace(runtime.parts, embedders=embedders), Scope(tenant_id))


async def test_every_table_is_considered(raw: Raw) -> None:
    """A new table fails here until it is in the list of those that hold something of a user."""
    cursor = await raw.execute(
        "SELECT relname, EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid"
        " AND attname = 'user_id') FROM pg_class"
        " WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('r', 'p', 'm')"
    )
    tables = dict(await cursor.fetchall())

    assert {table for table, of_user in tables.items() if of_user} == set(erasure.OF_USER)
    assert set(tables) == set(erasure.OF_USER) | erasure.OF_NOBODY


async def test_nothing_of_a_forgotten_user_is_in_any_table_journal_or_cache(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    planted = words("a")
    parts = runtime.parts
    await plant(mem, parts, tenant_id, planted)
    in_tables = {word for word, _ in await found_in_tables(raw, list(planted.values()))}
    assert set(planted.values()) - {planted["journal"], planted["window"]} <= in_tables
    planted_in = {table for table, rows in (await rows_of(raw, tenant_id)).items() if rows}
    assert set(erasure.OF_USER) <= planted_in

    receipt = await mem.forget_user(planted["user"])

    assert await found_in_tables(raw, list(planted.values())) == set()
    assert receipt.what == "user"
    assert receipt.counts["messages"] in (31, 32)
    assert all(receipt.counts[table] for table in erasure.OF_USER)
    left = await rows_of(raw, tenant_id)
    assert {table for table, rows in left.items() if rows} == {
        "forgettings", "generations", "tenants",
    }  # fmt: skip
    assert parts.outage.pending == 0
    assert not any(user == planted["user"] for _, user in parts.window.users())
    assert (await mem.forget_user(planted["user"])).counts["messages"] == 0


async def test_others_stay_as_they_are(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    await mem.add_message("bob", "user", "My name is Bob.")
    await mem.digest((await mem.current_conversation("bob")).id)
    before = await rows_of(raw, tenant_id)
    await plant(mem, runtime.parts, tenant_id, words("b"))

    await mem.forget_user(words("b")["user"])

    after = await rows_of(raw, tenant_id)
    assert len(after.pop("forgettings")) == 1
    assert after == {table: rows for table, rows in before.items() if table != "forgettings"}


async def test_of_who_is_not_known_nothing_is_forgotten(mem: AsyncTenant) -> None:
    await mem.set_memory("ada", "key", {})

    assert set((await mem.forget_user("nobody")).counts.values()) == {0}
    assert (await mem.forget_user("ada")).counts["users"] == 1


async def test_what_a_forgotten_user_says_again_is_new(mem: AsyncTenant) -> None:
    await mem.add_message("ada", "user", "before")
    await mem.forget_user("ada")

    await mem.add_message("ada", "user", "after")

    assert [one.content for one in await mem.get_recent_messages("ada")] == ["after"]


async def test_a_user_with_very_many_messages_is_forgotten_in_batches(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch, tenant_id: int, raw: Raw
) -> None:
    monkeypatch.setattr(forgetting, "MOST_AT_ONCE", 5)
    monkeypatch.setattr(forgetting, "_BATCH", 3)
    for number in range(12):
        await mem.add_message("ada", "user", f"message {number}")

    receipt = await mem.forget_user("ada")

    assert receipt.counts["messages"] == 12
    assert not (await rows_of(raw, tenant_id))["messages"]


async def test_whoever_is_forgotten_in_batches_is_halted_until_it_is_done(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "MOST_AT_ONCE", 1)
    for number in range(3):
        await mem.add_message("ada", "user", f"message {number}")

    async def cut_off(*_: object) -> int:
        raise UnavailableError

    with monkeypatch.context() as patch:
        patch.setattr(erasure, "delete_messages", cut_off)
        with pytest.raises(UnavailableError):
            await mem.forget_user("ada")
    with pytest.raises(HaltedError):
        await mem.chat("ada", "Who am I?")

    assert (await mem.forget_user("ada")).counts["messages"] == 3


async def test_what_was_made_with_a_forgotten_message_is_made_again(
    mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    question = await mem.add_message("ada", "user", "Which town do I like?")
    await mem.add_message("ada", "assistant", "You like Lisbon, on the river.")
    await mem.digest((await mem.current_conversation("ada")).id)
    before = await rows_of(raw, tenant_id)
    await raw.execute("DELETE FROM longterm.jobs WHERE tenant_id = %s", [tenant_id])

    await mem.forget_message("ada", question)

    # The vector of the answer was made with the question before it.
    after = await rows_of(raw, tenant_id)
    assert (len(before["passages"]), len(after["passages"])) == (2, 1)
    assert len(before["embeddings"]) > 2
    assert after["embeddings"] == []
    cursor = await raw.execute(
        "SELECT task FROM longterm.jobs WHERE tenant_id = %s ORDER BY task", [tenant_id]
    )
    assert await cursor.fetchall() == [("digest",), ("embed",)]


async def test_nothing_of_a_forgotten_conversation_is_left_but_what_is_the_users_own(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    planted = words("c")
    conversation = await plant(mem, runtime.parts, tenant_id, planted)
    # Which makes it the current one.
    await mem.add_message(planted["user"], "user", "And so on.", conversation_id=conversation)

    receipt = await mem.forget_conversation(planted["user"], conversation)

    own = {
        "user", "memorykey", "memoryvalue", "mode", "session", "keyname", "threadquestion",
        "threadcall", "graphthread", "graphmetadata", "graphstate", "graphpiece", "graphwrite",
    }  # fmt: skip
    found = {word for word, _ in await found_in_tables(raw, list(planted.values()))}
    assert found == {planted[place] for place in own}
    assert {table for _, table in await found_in_tables(raw, [conversation])} == {"forgettings"}
    assert (receipt.counts["conversations"], receipt.counts["facts"]) == (1, 3)
    assert runtime.parts.outage.pending == 0


async def test_of_kept_replies_go_those_that_may_tell_of_what_is_forgotten(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    kept = Idempotency(runtime.parts, Scope(tenant_id))
    here, there = [(await mem.create_conversation("ada")).id for _ in range(2)]
    bodies = {
        "of it": f'{{"conversation_id": "{here}"}}',
        "of another": f'{{"conversation_id": "{there}"}}',
        "of nobody knows which": '{"choices": ["an answer that was passed on"]}',
    }
    for name, body in bodies.items():
        attempt = Attempt(id=new_id(), caller="caller", key=name, request_hash=b"hash")
        await kept.begin(attempt, lease=timedelta(minutes=1))
        await kept.finish(attempt, user_id="ada", status=200, content_type=None, body=body.encode())

    await mem.forget_conversation("ada", here)

    left = repr((await rows_of(raw, tenant_id))["idempotency"])
    assert [name for name in bodies if name in left] == ["of another"]


async def test_after_a_rewind_the_conversation_goes_on_from_there(
    mem: AsyncTenant, raw: Raw
) -> None:
    conversation = await mem.create_conversation("ada")
    ids: list[int] = []
    for turn in range(1, 31):
        ids.append(await mem.add_message("ada", "user", f"Turn {turn} has the word zqx{turn}y."))
        await mem.add_message("ada", "assistant", f"Answer {turn}.")
    await mem.digest(conversation.id)
    assert [one.turn_end for one in await mem.list_episodes(conversation.id)] == [20]

    receipt = await mem.rewind("ada", ids[14])
    await mem.add_message("ada", "user", "Another way.")
    await mem.digest(conversation.id)

    assert receipt.counts["messages"] == 32
    said_now = list(await mem.get_messages(conversation.id, 1000))
    assert [one.turn for one in said_now] == sorted([*range(1, 15), *range(1, 15), 15])
    assert await found_in_tables(raw, [f"zqx{turn}y" for turn in range(15, 31)]) == set()
    for turn in range(16, 36):
        await mem.add_message("ada", "user", f"Turn {turn} again.")
    await mem.digest(conversation.id)
    ranges = [(one.turn_start, one.turn_end) for one in await mem.list_episodes(conversation.id)]
    assert ranges[0][0] == 1
    assert ranges[-1][1] == 25


async def test_a_title_made_of_a_forgotten_message_goes_and_a_persons_stays(
    mem: AsyncTenant,
) -> None:
    first = await mem.add_message("ada", "user", "Plans for Lisbon")
    await mem.add_message("ada", "assistant", "Porto is nice too")
    made = await mem.current_conversation("ada")
    await mem.digest(made.id)
    own = await mem.create_conversation("ada", "My own title")
    other = await mem.add_message("ada", "user", "words")

    await mem.forget_message("ada", first)
    await mem.forget_message("ada", other)
    await mem.digest(made.id)

    assert (await mem.get_conversation("ada", made.id)).title == "Porto is nice too"
    assert (await mem.get_conversation("ada", own.id)).title == "My own title"


@pytest.mark.parametrize("operation", ["forget_message", "rewind"])
async def test_what_is_not_there_or_somebody_elses_is_not_forgotten(
    mem: AsyncTenant, operation: str
) -> None:
    message = await mem.add_message("ada", "user", "words")
    elsewhere = (await mem.create_conversation("ada")).id

    with pytest.raises(MemoryNotFoundError):
        await getattr(mem, operation)("bob", message)
    with pytest.raises(MemoryNotFoundError):
        await getattr(mem, operation)("ada", message, conversation_id=elsewhere)
    with pytest.raises(MemoryNotFoundError):
        await mem.forget_conversation("bob", elsewhere)

    assert await mem.count_messages("ada") == 1


async def test_a_message_that_comes_while_a_user_is_forgotten_is_there_whole_or_not_at_all(
    mem: AsyncTenant, tenant_id: int, raw: Raw
) -> None:
    for _ in range(6):
        await mem.add_message("ada", "user", "before")

        async def write(number: int) -> None:
            await asyncio.sleep(number / 1000)
            await mem.add_message("ada", "user", "during")

        await asyncio.gather(mem.forget_user("ada"), *(write(number) for number in range(12)))

        counted = await mem.count_messages("ada")
        rows = await rows_of(raw, tenant_id)
        conversations = await mem.list_conversations("ada")
        assert sum(one.turn_count for one in conversations) == counted == len(rows["messages"])
        assert not any("before" in row for row in rows["messages"])


async def test_what_waits_on_another_disk_is_not_written_back_for_whom_was_forgotten(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    conversation = await mem.create_conversation("ada")

    def uttered(user_id: str, **changes: str) -> Utterance:
        told = Utterance(
            id=new_id(), tenant_id=tenant_id, user_id=user_id, conversation_id=conversation.id,
            role="user", text="words", said_at=datetime.now(UTC).isoformat(),
        )  # fmt: skip
        return replace(told, **changes)

    before, others = uttered("ada"), uttered("bob", conversation_id=new_id())
    await mem.forget_user("ada")
    after = uttered("ada", conversation_id=new_id())

    stored = [await said.write(runtime.parts.database, one) for one in (before, others, after)]

    assert [one is None for one in stored] == [True, False, False]


async def test_what_was_counted_before_it_was_forgotten_does_not_wait_any_more(
    runtime: Runtime, tenant_id: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = AsyncJournal(Journal(tmp_path, max_bytes=1_000_000, max_records=10))
    outage = Outage(
        runtime.parts.database, journal, Metrics(), write=_nowhere, wake_worker=lambda: None
    )
    await outage.keep(
        Utterance(
            id=new_id(), tenant_id=tenant_id, user_id="ada", conversation_id=None, role="user",
            text="words", said_at=datetime.now(UTC).isoformat(),
        )
    )  # fmt: skip
    counted, told = asyncio.Event(), asyncio.Event()

    async def counted_and_told_later() -> int:
        found = await AsyncJournal.pending(journal)
        counted.set()
        await told.wait()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(journal, "pending", counted_and_told_later)
        opening = asyncio.create_task(outage.open())
        await counted.wait()
    assert await outage.forget(tenant_id, "ada") == 1
    told.set()
    await opening

    assert outage.pending == 0
    await outage.close()


async def _nowhere(_: Utterance) -> None:
    """Nothing is left to be written back."""


async def test_another_process_takes_who_was_forgotten_out_of_its_ram(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    elsewhere = replace(
        runtime.parts, window=TemporaryTalks(), temporary=TemporaryTalks(), speakers=Speakers()
    )
    for user in ("ada", "bob"):
        elsewhere.window.add((tenant_id, user, "c"), Said(by="user", text="words"))
        elsewhere.temporary.add((tenant_id, user, "t"), Said(by="user", text="words"))
        elsewhere.speakers.put((tenant_id, user), ("Ada",))

    await mem.forget_user("ada")
    await forgetting.drop_forgotten(elsewhere)

    bob = {(tenant_id, "bob")}
    assert elsewhere.window.users() == elsewhere.temporary.users() == bob
    assert elsewhere.speakers.users() == bob


async def test_a_user_forgets_with_their_own_rights(runtime: Runtime, tenant_id: int) -> None:
    await runtime.tenant(Scope(tenant_id)).add_message("bob", "user", "stays")
    ada = runtime.tenant(Scope(tenant_id, "ada"))
    await ada.add_message("ada", "user", "goes")

    assert (await ada.forget_user("ada")).counts["messages"] == 1
    with contextlib.suppress(LongtermError):
        await ada.forget_user("bob")

    assert await runtime.tenant(Scope(tenant_id)).count_messages("bob") == 1
