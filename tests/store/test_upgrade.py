"""After an upgrade from an early schema everything old is found, without a new message."""

from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest

from longterm import AsyncLongterm, Settings
from longterm.store import migrate as migrating
from longterm.store.migrate import migrate, migrations

# Up to the episodes, which were not searched yet.
EARLY = [each for each in migrations() if each.version <= 3]

_USER = "INSERT INTO longterm.users (tenant_id, user_id) VALUES (1, 'ada')"
_CONVERSATION = """
    INSERT INTO longterm.conversations (tenant_id, id, user_id, kind, turn_count, learned_through,
                                        summarised_through)
    VALUES (1, %s, 'ada', 'conversation', 2, 1000, 1)
"""
_MESSAGES = """
    INSERT INTO longterm.messages (tenant_id, conversation_id, user_id, turn, role, content)
    VALUES (1, %(id)s, 'ada', 1, 'user', 'We talked of marmalade.'),
           (1, %(id)s, 'ada', 1, 'assistant', 'So we did.'),
           (1, %(id)s, 'ada', 2, 'user', 'My name is Adelheid.')
"""
_FACT = """
    INSERT INTO longterm.facts (tenant_id, id, version, user_id, type, content, fingerprint,
                                confidence, importance, origin, said_at, valid_from, tokens,
                                source_conversation_id, source_message_id)
    VALUES (1, %(id)s, 1, 'ada', 'fact', %(content)s, %(content)s, 1, 0.3, 'rules', now(), now(), 4,
            %(conversation_id)s, %(message_id)s)
"""
_EPISODE = """
    INSERT INTO longterm.episodes (tenant_id, id, conversation_id, user_id, turn_start, turn_end,
                                   summary, rolling, made_by, said_from, said_to)
    VALUES (1, %s, %s, 'ada', 1, 1, 'They spoke about gooseberries.', 'gooseberries', 'rules',
            now(), now())
"""


async def test_what_an_early_version_stored_is_found_after_an_upgrade(
    empty_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = empty_database("upgrade")
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "migrations", lambda: EARLY)
        await migrate(database)
    conversation = str(uuid4())
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as raw:
        await raw.execute("INSERT INTO longterm.tenants (tenant_id) VALUES (1)")
        await raw.execute(_USER)
        await raw.execute(_CONVERSATION, [conversation])
        await raw.execute(_MESSAGES, {"id": conversation})
        await raw.execute(_EPISODE, [uuid4(), conversation])
        for content, source, message in (
            ("grows quinces", conversation, 1),
            ("keeps bees", str(uuid4()), 7),
            ("sings", None, 2),
        ):
            await raw.execute(
                _FACT,
                {
                    "id": uuid4(),
                    "content": content,
                    "conversation_id": source,
                    "message_id": message,
                },
            )

    settings = Settings(database_url=database, worker=False)
    async with AsyncLongterm(settings=settings) as lt:
        await lt.drain()
        mem = lt.tenant(1)
        found = {
            word: {item.kind for item in (await mem.recall("ada", word)).items}
            for word in ("marmalade", "gooseberries", "quinces")
        }
        facts = {fact.content: fact for fact in await mem.list_facts("ada")}

    assert "turn" in found["marmalade"]
    assert "episode" in found["gooseberries"]
    assert "fact" in found["quinces"]
    assert {content: fact.source_gone for content, fact in facts.items()} == {
        "grows quinces": False,
        "keeps bees": True,
        "sings": False,
    }
    assert facts["sings"].source_conversation_id == conversation
    async with await psycopg.AsyncConnection.connect(database) as raw:
        cursor = await raw.execute("SELECT kind FROM longterm.passages WHERE NOT embedded")
        assert await cursor.fetchall() == []
