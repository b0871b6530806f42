"""c6: the memory of a user stays under its limit, whatever is added in whatever order."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longterm import AsyncTenant, ConflictError
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.outside import Raw

LIMIT = 600
ADDED = 300

# Sizes that fill the limit with a few, or with many; pins that at times leave no room at all.
step = st.tuples(
    st.integers(1, 60),
    st.sampled_from(["add", "add", "add", "pin", "deactivate", "unpin"]),
    st.integers(0, 10**6),
)

SHOWN = """
    SELECT coalesce(sum(tokens), 0)
      FROM (SELECT DISTINCT ON (id) tokens, closed
              FROM facts
             WHERE tenant_id = %s
             ORDER BY id, valid_from DESC, version DESC) AS latest
     WHERE closed IS NULL OR closed = 'deactivated'
"""


class Memory:
    """A memory with a small limit, and what a test knows about it."""

    def __init__(self, mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
        self.mem = mem
        self.raw = raw
        self.tenant_id = tenant_id
        self.ids: list[str] = []
        self.pinned: set[str] = set()

    async def shown(self) -> int:
        cursor = await self.raw.execute(SHOWN.encode(), [self.tenant_id])
        row = await cursor.fetchone()
        return int(row[0]) if row else 0

    async def add(self, number: int, words: int) -> None:
        try:
            fact = await self.mem.add_fact("ada", f"{number} " + "word " * words)
        except ConflictError:
            # Nothing but pinned facts is left.
            return
        self.ids.append(fact.id)
        assert await self.shown() <= LIMIT

    async def touch(self, what: str, place: int) -> None:
        fact_id = self.ids[place % len(self.ids)]
        latest = (await self.mem.fact_history("ada", fact_id))[-1]
        if not latest.is_active:
            return
        if what == "deactivate":
            await self.mem.deactivate_fact("ada", fact_id)
            self.pinned.discard(fact_id)
        else:
            await self.mem.pin_fact("ada", fact_id, pinned=what == "pin")
            (self.pinned.add if what == "pin" else self.pinned.discard)(fact_id)


# 20 s are measured, and two minutes on a machine with six times as many processes as cores.
@pytest.mark.timeout(900)
@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.large_base_example],
)
@given(steps=st.lists(step, min_size=ADDED, max_size=ADDED))
async def test_3000_facts_never_exceed_the_limit_and_what_is_evicted_can_be_told(
    runtime: Runtime,
    raw: Raw,
    new_tenant_id: Callable[[], int],
    caplog: pytest.LogCaptureFixture,
    steps: list[tuple[int, str, int]],
) -> None:
    """c6: ten times 300 additions, between which facts are pinned and deactivated."""
    tenant_id = new_tenant_id()
    parts = replace(runtime.parts, rules=replace(runtime.parts.rules, memory_tokens=LIMIT))
    memory = Memory(AsyncTenant(parts, Scope(tenant_id)), raw, tenant_id)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        for number, (words, what, place) in enumerate(steps):
            await memory.add(number, words)
            if what != "add" and memory.ids:
                await memory.touch(what, place)

    active = {fact.id for fact in await memory.mem.get_active_facts("ada")}
    assert memory.pinned <= active
    cursor = await raw.execute(
        "SELECT id::text FROM facts WHERE tenant_id = %s AND closed = 'evicted'", [tenant_id]
    )
    evicted = {row[0] for row in await cursor.fetchall()}
    assert not evicted & active
    assert all(fact_id in caplog.text for fact_id in evicted)
    for fact_id in sorted(evicted)[:5]:
        assert (await memory.mem.fact_history("ada", fact_id))[-1].closed == "evicted"
