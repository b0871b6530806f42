"""Several workers may embed the same passages at once: a job that seemed lost is done again."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import generations, passages

ROUNDS = 5


async def test_two_who_store_the_same_vectors_do_not_wait_for_each_other(
    runtime: Runtime, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheap = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    monkeypatch.setattr(runtime, "_parts", replace(runtime.parts, embedders=cheap))
    database, scope = runtime.parts.database, Scope(tenant_id)
    mem = runtime.tenant(scope)
    conversation = await mem.create_conversation("ada")
    said = [{"role": "user", "content": f"Part {number}."} for number in range(300)]
    await mem.add_messages("ada", conversation.id, said)
    await mem.digest(conversation.id)
    async with database.tenant(scope) as conn:
        found = await passages.not_filled(conn, after=0, limit=1000)
        generation = (await generations.current(conn))[0]
    vectors = np.ones((len(found), generation.dimensions), np.float32)

    async def store(owners: Sequence[tuple[int, int]]) -> None:
        async with database.tenant(scope) as conn:
            await passages.insert_vectors(conn, owners, vectors, generation=generation.id)

    assert len(found) >= len(said)
    for number in range(ROUNDS):
        owners = [(passage.id, 100 + number) for passage in found]
        await asyncio.gather(store(owners), store(owners[::-1]))
