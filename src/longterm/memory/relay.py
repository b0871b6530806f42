"""Relay: memory for an application that talks to a model itself, with the history it sends."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from longterm.errors import HaltedError, UnavailableError
from longterm.memory import asking, late, remembering, tenants, threads
from longterm.memory.outage import Utterance
from longterm.memory.prompting import Prompting
from longterm.memory.recalling import Wanted
from longterm.providers.model import Usage
from longterm.records.ids import new_id
from longterm.records.json import JsonObject
from longterm.records.passage import KINDS
from longterm.records.recall import Recall
from longterm.records.state import ACTIVE, HALTED
from longterm.records.thread import Entry, Followed
from longterm.store import users
from longterm.store.search import Filters

_BUDGET_TOKENS = 2000
_HITS = 8
_LONGEST_QUERY = 2000
# Not the id of any message: the window is in the client's history, and not shown once more.
_NOWHERE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sends: its whole history, or the end of it, of one user.

    `named` is the conversation that it names; `waited_s` is how long before `made_at` it came.
    """

    user_id: str
    entries: Sequence[Entry]
    named: str | None = None
    again: bool = False
    waited_s: float = 0.0
    made_at: float = field(default_factory=time.monotonic)

    @property
    def question(self) -> str:
        """What the user said last."""
        said = (entry.content for entry in reversed(self.entries) if entry.role == "user")
        return next(said, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What a model is told: `known` stays the same until a fact changes, `now` is for one question."""

    recall: Recall
    known: str
    now: str


class Standing(Enum):
    """What memory may do for somebody: all, keep what is said and no more, or nothing."""

    ACTIVE = "active"
    QUIET = "quiet"
    FORGETFUL = "forgetful"


class Relay(Prompting):
    """Stores what is new of a history, and finds what bears on its question."""

    async def check(self) -> Standing:
        """Refuse a user who is halted, and a tenant whose budget is spent."""
        async with self._read_only() as conn:
            found = await users.standing(conn, self._scope.user_id)
        if found.mode == HALTED:
            raise HaltedError
        await asking.check_budget(self._parts, self._scope)
        if not tenants.is_remembering(self._parts, self._scope, found.settings):
            return Standing.FORGETFUL
        return Standing.ACTIVE if found.mode in (None, ACTIVE) else Standing.QUIET

    async def follow(self, request: Request) -> Followed:
        """Store what is new of the history, in the conversation that it goes on with."""
        if self._parts.outage.pending:
            # What was said before comes before.
            await self._parts.outage.write_back()
        with self._operation("follow", user_id=request.user_id, conversation_id=request.named):
            async with self._transaction() as conn:
                followed = await threads.follow(
                    conn,
                    request.user_id,
                    request.entries,
                    named=request.named,
                    again=request.again,
                    waited_s=request.waited_s + time.monotonic() - request.made_at,
                )
        self._stored(followed.stored)
        return followed

    async def recollect(self, request: Request, followed: Followed) -> Recollection | None:
        """Find what bears on the question; None where nothing is asked."""
        query = request.question.strip()[:_LONGEST_QUERY]
        if not query:
            return None
        wanted = Wanted(
            query=query,
            limit=_HITS,
            budget_tokens=_BUDGET_TOKENS,
            current=followed.conversation_id,
            asked_in=followed.message_id or _NOWHERE,
        )
        with self._operation("recollect", user_id=request.user_id):
            recall = await self._recall(Filters(user_id=request.user_id, kinds=KINDS), wanted)
        return Recollection(recall=recall, known=recall.stable_prefix, now=recall.turn_tail)

    async def keep_answer(self, request: Request, followed: Followed, entry: Entry) -> None:
        """Store the answer, or what came of it; on disk while the database is away or busy."""
        stay = request.named is not None
        with self._operation("keep_answer", user_id=request.user_id):
            try:
                async with self._transaction() as conn:
                    stored = await threads.answer(conn, request.user_id, followed, entry, stay=stay)
            except UnavailableError:
                await self._keep(request, late.of_answer(followed, entry, stay=stay))
                return
        self._stored(0 if stored is None else 1)

    async def keep_for_later(self, request: Request, answer: Entry | None = None) -> None:
        """Put the end of a history on disk, with the answer to it, until the database is back.

        Of a tenant that was last seen without memory, nothing is kept.
        """
        if self._scope.tenant_id in self._parts.stateless:
            return
        entries = request.entries if answer is None else (*request.entries, answer)
        await self._keep(request, late.of_history(entries, named=request.named))

    async def count(self, model: str, usage: Usage) -> None:
        """Add a call to what the tenant spent today."""
        await asking.count(self._parts, self._scope, "proxy", model, usage)

    async def _keep(self, request: Request, thread: JsonObject) -> None:
        await self._parts.outage.keep(
            Utterance(
                id=new_id(),
                tenant_id=self._scope.tenant_id,
                user_id=request.user_id,
                conversation_id=request.named,
                role="user",
                text="",
                said_at=remembering.now().isoformat(),
                thread=thread,
            )
        )

    def _stored(self, number: int) -> None:
        if number:
            self._metrics.messages_stored.inc(number)
            self._parts.wake_worker()
