"""How clean memory is: duplicates, echoes, what is not grounded, stale, secret, unused."""

import asyncio

from longterm.learn import hygiene as checks
from longterm.memory import inputs, remembering
from longterm.memory.operations import Operations
from longterm.records.hygiene import FLAWS, Flaw, MemoryAudit
from longterm.store import hygiene, users


class Hygiene(Operations):
    """Looks at stored facts with a critical eye."""

    async def audit_memory(self, user_id: str | None = None) -> MemoryAudit:
        """Check the facts of a user, or of everybody in the tenant; changes nothing."""
        if user_id is not None:
            user_id = inputs.user_id(user_id)
        with self._operation("audit_memory", user_id=user_id):
            everybody = [user_id] if user_id is not None else await self._everybody()
            audits = [await self._audit_one(each) for each in everybody]
        flaws: dict[Flaw, tuple[str, ...]] = {
            flaw: tuple(id_ for audit in audits for id_ in audit.flaws[flaw]) for flaw in FLAWS
        }
        return MemoryAudit(facts=sum(audit.facts for audit in audits), flaws=flaws)

    async def _everybody(self) -> list[str]:
        async with self._transaction() as conn:
            return await users.list_ids(conn)

    async def _audit_one(self, user_id: str) -> MemoryAudit:
        async with self._transaction() as conn:
            found = await hygiene.sourced(conn, user_id)
        vectors = await self._parts.embedders.current.embed([fact.content for fact in found])
        flaws = await asyncio.to_thread(checks.flaws, found, vectors, now=remembering.now())
        return MemoryAudit(facts=len(found), flaws=flaws)
