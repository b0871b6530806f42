"""c7: no secret becomes memory, through whichever door, and none is shown by recall."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from longterm import AsyncTenant, SecretRefusedError
from longterm.memory import remembering
from longterm.postgres.pool import Database
from longterm.postgres.transaction import Conn
from longterm.providers.model import Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.records.episode import NewEpisode
from longterm.records.fact import NewFact
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime
from longterm.store import episodes, facts, users
from longterm.text import secrets
from tests.imports.test_own import END, FACT, HEADER, MEMORY, PLACE
from tests.memory.taught import by_purpose, fact, taught
from tests.memory.taught import facts as answered
from tests.memory.test_learning import ledger
from tests.outside import Raw, rows_of
from tests.secrets_corpus import SECRETS

PASSWORD = "hunter2secret!"
SAID = f"By the way, my password is {PASSWORD}"

# What may be searched on the event loop.
LONG = 4_000

# Where what was said stays as it was said.
HISTORY = {"messages"}

SENTENCES = [one for one in SECRETS if one.is_sentence and len(str(one.text)) <= 500][::5]
KEYED = [one for one in SECRETS if one.key is not None]
OBJECTS = [one for one in SECRETS if one.json is not None]


async def stored(raw: Raw, tenant_id: int) -> str:
    """All that is stored of a tenant beside its history."""
    rows = await rows_of(raw, tenant_id)
    return "\n".join(row for table in rows if table not in HISTORY for row in rows[table])


async def test_a_fact_with_a_secret_is_refused(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    known = await mem.add_fact("ada", "likes tea")
    for sample in SENTENCES:
        with pytest.raises(SecretRefusedError):
            await mem.add_fact("ada", str(sample.text))
        with pytest.raises(SecretRefusedError):
            await mem.update_fact("ada", known.id, content=str(sample.text))
    for sample in KEYED:
        with pytest.raises(SecretRefusedError):
            await mem.add_fact("ada", str(sample.text), category="identity", key=sample.key)

    found = await stored(raw, tenant_id)
    assert [
        one for one in (*SENTENCES, *KEYED) if len(one.secret) > 5 and one.secret in found
    ] == []


async def test_new_words_of_a_fact_are_read_with_its_key(mem: AsyncTenant) -> None:
    known = await mem.add_fact("ada", "kept in a safe", category="identity", key="wifi_password")

    with pytest.raises(SecretRefusedError):
        await mem.update_fact("ada", known.id, content="sunflower88")


async def test_a_fact_is_read_with_the_message_it_comes_from(mem: AsyncTenant) -> None:
    message_id = await mem.add_message("ada", "user", SAID)

    with pytest.raises(SecretRefusedError):
        await mem.add_fact("ada", f"Uses {PASSWORD} a lot", source_message_id=message_id)


async def test_key_value_memory_with_a_secret_is_refused(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    for sample in OBJECTS:
        with pytest.raises(SecretRefusedError):
            await mem.set_memory("ada", "note", sample.json)
    for sample in KEYED:
        with pytest.raises(SecretRefusedError):
            await mem.set_memory("ada", str(sample.key), {"value": sample.text})
    with pytest.raises(SecretRefusedError):
        await mem.set_memory("ada", "notes", {"text": f"long {'words ' * 2000} {SAID}"})

    found = await stored(raw, tenant_id)
    assert [one for one in (*OBJECTS, *KEYED) if len(one.secret) > 5 and one.secret in found] == []


async def test_a_place_with_a_secret_is_refused(mem: AsyncTenant) -> None:
    for sample in SENTENCES:
        with pytest.raises(SecretRefusedError):
            await mem.add_poi("ada", "p", "Home", str(sample.text))
    with pytest.raises(SecretRefusedError):
        await mem.add_poi("ada", "p", "Wifi password", "sunflower88")
    with pytest.raises(SecretRefusedError):
        await mem.add_poi("ada", "wifi-password", "sunflower88")
    with pytest.raises(SecretRefusedError):
        await mem.add_poi_mention("ada", "p", SAID, 1)

    assert await mem.list_places("ada") == []


async def test_an_agent_is_told_why_a_secret_is_not_stored(mem: AsyncTenant) -> None:
    for sample in SENTENCES:
        told = await mem.manage_user_memory("ada", "add_fact", content=str(sample.text))

        assert not told["ok"]
        assert "must not hold a secret" in told["error"]
        assert sample.secret not in told["error"]


@pytest.mark.parametrize(
    ("key", "value", "quote"),
    [
        ("password", PASSWORD, SAID),
        ("note", PASSWORD, SAID),
        ("note", "hunter2secret", f"password is {PASSWORD}"),
        ("likes:hunter2secret", "likes it", f"my password is {PASSWORD}"),
    ],
)
async def test_a_model_that_proposes_a_secret_is_refused_and_the_ledger_tells(
    runtime: Runtime, tenant_id: int, raw: Raw, key: str, value: str, quote: str
) -> None:
    item = fact(key=key, value=value, quote=quote)
    mem = taught(runtime, tenant_id, by_purpose(extract=answered(item)))
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", f"{SAID} and he likes it", conversation_id=conversation.id)

    await mem.digest(conversation.id)

    assert await mem.get_active_facts("ada") == []
    ((outcome, count, reason, _),) = await ledger(raw, tenant_id)
    assert (outcome, count) == ("refused", 0)
    assert PASSWORD not in str(reason)


async def test_of_a_message_with_a_secret_the_rest_is_learned(
    runtime: Runtime, tenant_id: int
) -> None:
    said = f"My name is Alex and my password is {PASSWORD}"
    items = (fact(quote=said), fact(key="login", value=PASSWORD, quote=said))
    mem = taught(runtime, tenant_id, by_purpose(extract=answered(*items)))
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", said, conversation_id=conversation.id)

    await mem.digest(conversation.id)

    assert [one.content for one in await mem.get_active_facts("ada")] == ["Alex"]


async def test_nothing_that_is_derived_from_messages_holds_a_secret(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """Facts by rules, titles, episodes by sentences, passages and their words."""
    for sample in SENTENCES:
        conversation = await mem.create_conversation("ada")
        for content in (str(sample.text), f"Remember this: {sample.text}"):
            await mem.add_message("ada", "user", content, conversation_id=conversation.id)
        await mem.digest(conversation.id)

    found = await stored(raw, tenant_id)
    assert [one.text for one in SENTENCES if len(one.secret) > 5 and one.secret in found] == []


async def talk(mem: AsyncTenant, *said: str) -> str:
    """A conversation that says this early, and then goes on until that is summed up."""
    turns = [*said, *(f"Let me tell you about part {turn} of the garden." for turn in range(30))]
    messages = [
        ImportedMessage(role=role, content=content)
        for turn in turns
        for role, content in (("user", turn), ("assistant", "I see, go on, please."))
    ]
    await mem.import_messages("ada", [ImportedConversation(messages=messages)])
    return (await mem.list_conversations("ada")).items[0].id


SECRET_TALK = (
    "Hello there, how are you today?",
    f"{SAID}, as I told my sister in Norway.",
    f"I think {PASSWORD} is long enough for the bank.",
)


async def test_a_summary_by_sentences_masks_what_was_said(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    conversation_id = await talk(mem, *SECRET_TALK)

    await mem.digest(conversation_id)
    recalled = await mem.recall("ada", "What is my password for the bank?")

    assert await mem.list_episodes(conversation_id)
    found = await stored(raw, tenant_id)
    assert PASSWORD not in found
    # Nor a word of it in the index.
    assert "hunter2secret" not in found
    shown = json.dumps([recalled.text, *(item.text for item in recalled.items)])
    assert "password" in shown
    assert "hunter2secret" not in shown


async def test_a_model_that_sums_up_never_sees_the_secret_and_what_it_writes_is_masked(
    runtime: Runtime, tenant_id: int
) -> None:
    seen: list[str] = []

    def script(prompt: Prompt) -> str:
        if prompt.purpose != "summarise":
            return answered()
        seen.append(prompt.messages[0].text)
        return json.dumps({"summary": f"Talked. {SAID}.", "rolling": f"All: {SAID}."})

    mem = taught(runtime, tenant_id, ScriptedModel(script))
    conversation_id = await talk(mem, *SECRET_TALK)

    await mem.digest(conversation_id)

    assert seen
    assert PASSWORD not in "".join(seen)
    assert PASSWORD not in await mem.get_rolling_summary(conversation_id)
    assert "[password]" in await mem.get_rolling_summary(conversation_id)


async def test_a_title_by_a_model_does_not_repeat_a_secret(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, by_purpose(title=f"About {PASSWORD}", extract=answered()))
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", SAID, conversation_id=conversation.id)
    await mem.add_message("ada", "assistant", "Noted.", conversation_id=conversation.id)

    await mem.digest(conversation.id)

    title = str((await mem.get_conversation("ada", conversation.id)).title)
    assert PASSWORD not in title


async def test_a_person_is_told_that_a_title_holds_a_secret(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")

    with pytest.raises(SecretRefusedError):
        await mem.update_conversation("ada", conversation.id, title=SAID)
    with pytest.raises(SecretRefusedError):
        await mem.create_conversation("ada", SAID)


async def test_an_imported_title_is_masked(mem: AsyncTenant) -> None:
    said = [ImportedMessage(role="user", content="hello")]
    await mem.import_messages("ada", [ImportedConversation(title=SAID, messages=said)])

    (found,) = (await mem.list_conversations("ada")).items

    assert found.title == "By the way, my password is [password]"


async def test_an_import_leaves_secrets_out_and_says_so(
    mem: AsyncTenant, tmp_path: Path, raw: Raw, tenant_id: int
) -> None:
    lines: list[dict[str, Any]] = [
        HEADER,
        FACT | {"category": "identity", "key": "password", "content": PASSWORD},
        FACT | {"id": "g", "content": SAID},
        PLACE | {"place_name": "Wifi password", "notes": PASSWORD},
        MEMORY | {"key": "wifi_password", "value": {"value": PASSWORD}},
        END,
    ]
    path = tmp_path / "export.jsonl"
    await asyncio.to_thread(path.write_text, "\n".join(map(json.dumps, lines)))

    report = await mem.import_conversations("ada", path)

    assert (report.facts, report.places, report.memories, report.unread_count) == (0, 0, 0, 4)
    assert all(PASSWORD not in one.reason for one in report.unread)
    assert PASSWORD not in await stored(raw, tenant_id)


async def _store_as_before(runtime: Runtime, tenant_id: int, conversation_id: str) -> None:
    """What versions before this one stored."""
    at = datetime.now(UTC)
    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await users.ensure(conn, "ada")
        for key, content, importance in (
            ("password", PASSWORD, 0.9),
            (None, SAID, 0.9),
            ("note", SAID, 0.1),
            ("bank_password", PASSWORD, 0.1),
        ):
            new = NewFact(
                user_id="ada", type="fact", category="identity" if key else None, key=key,
                content=content, confidence=1.0, importance=importance, origin="api",
                said_at=at, tokens=5,
            )  # fmt: skip
            await facts.insert(conn, new, fact_id=_id(), fingerprint=content + str(key))
        episode = NewEpisode(
            conversation_id=conversation_id, user_id="ada", turn_start=1, turn_end=1,
            summary=SAID, rolling=SAID, made_by="before", said_from=at, said_to=at,
        )  # fmt: skip
        await episodes.insert(conn, episode)


def _id() -> str:
    return str(remembering.new_id())


async def test_what_was_stored_before_is_masked_where_it_is_shown(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    conversation = await mem.create_conversation("ada")
    await _store_as_before(runtime, tenant_id, conversation.id)
    await mem.embed("ada")

    found = await mem.recall("ada", "What is my bank password?")
    document = await mem.get_user_memory("ada")
    searched = await mem.manage_user_memory("ada", "search", query="password")
    rolling = await mem.get_rolling_summary(conversation.id)
    listed = await mem.list_episodes(conversation.id)

    shown = [found.text, found.stable_prefix, found.turn_tail, rolling, str(listed)]
    shown += [item.text for item in (*found.items, *found.facts)]
    shown += [json.dumps(document.to_dict()), json.dumps(searched)]
    assert [text for text in shown if "hunter2secret" in text] == []
    assert "[password]" in found.text
    (audit,) = [await mem.audit_memory("ada")]
    assert len(audit.flaws["secret"]) == 4


async def test_recall_masks_what_was_said_and_history_and_window_keep_it(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", SAID, conversation_id=conversation.id)
    await mem.digest(conversation.id)

    anywhere = await mem.recall("ada", "What is my password?")
    here = await mem.recall("ada", "What is my password?", conversation_id=conversation.id)
    said = await mem.get_messages(conversation.id)

    assert [item.text for item in anywhere.items] == ["By the way, my password is [password]"]
    assert PASSWORD not in anywhere.text
    assert PASSWORD not in "".join(item.text for item in here.items)
    assert here.window[0].text == SAID
    assert said[0].content == SAID


async def test_what_was_said_a_moment_ago_is_masked_before_it_is_indexed(mem: AsyncTenant) -> None:
    await mem.add_message("ada", "user", SAID)

    found = await mem.recall("ada", "What is my password?")

    assert [item.text for item in found.items] == ["By the way, my password is [password]"]


async def test_a_snippet_of_a_search_is_masked(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", SAID, conversation_id=conversation.id)

    for search in ("password", "hunter2secret"):
        (found,) = (await mem.list_conversations("ada", search=search)).items

        assert found.snippet == "By the way, my password is [password]"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool, bool]]:
    """Every search for secrets: the length of its text, whether on the loop, whether in a transaction."""
    made: list[tuple[int, bool, bool]] = []
    in_transaction: ContextVar[bool] = ContextVar("in_transaction", default=False)
    find, tenant = secrets.find, Database.tenant
    loop = threading.current_thread()

    def watched(text: str) -> list[secrets.Secret]:
        made.append((len(text), threading.current_thread() is loop, in_transaction.get()))
        return find(text)

    @asynccontextmanager
    async def marked(
        self: Database, scope: Scope, *, read_only: bool = False
    ) -> AsyncGenerator[Conn]:
        async with tenant(self, scope, read_only=read_only) as conn:
            token = in_transaction.set(True)
            yield conn
            in_transaction.reset(token)

    monkeypatch.setattr(secrets, "find", watched)
    monkeypatch.setattr(Database, "tenant", marked)
    return made


async def test_long_texts_are_never_searched_on_the_event_loop_nor_any_in_a_transaction(
    mem: AsyncTenant, checks: list[tuple[int, bool, bool]]
) -> None:
    long = "4111 " * 4000
    conversation = await mem.create_conversation("ada", "A title")
    untitled = await mem.create_conversation("ada")
    for place in (conversation.id, untitled.id):
        await mem.add_message("ada", "user", f"Hello. {long}", conversation_id=place)
        await mem.add_message("ada", "assistant", long, conversation_id=place)
        await mem.digest(place)
    source = await mem.add_message("ada", "user", f"I like tea. {long}")
    known = await mem.add_fact("ada", "likes tea", source_message_id=source)
    await mem.update_fact("ada", known.id, content="likes green tea", source_message_id=source)
    await mem.add_poi("ada", "p", "Rome", "a nice town")
    await mem.set_memory("ada", "notes", {"text": "words " * 4000})
    await talk(mem, "Hello there", long)
    await mem.recall("ada", "Do I like tea?", conversation_id=untitled.id)
    await mem.list_conversations("ada", search="4111")
    await mem.get_user_memory("ada")

    assert len(checks) > 20
    assert [each for each in checks if each[1] and each[0] > LONG] == []
    assert [each for each in checks if each[2]] == []
