"""A question is kept before anything else happens: in the database, or else on disk."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from longterm.errors import (
    ConflictError,
    DatabaseGoneError,
    HaltedError,
    OutcomeUnknownError,
    UnavailableError,
)
from longterm.memory import remembering, repeated, said, tenants
from longterm.memory.operations import Operations
from longterm.memory.outage import Utterance
from longterm.memory.prompting import Asked
from longterm.records.ids import new_id
from longterm.records.message import Role
from longterm.records.state import ACTIVE, HALTED
from longterm.store import users

# How long chat waits for the database before it goes on without.
_PATIENCE_S = 2.0
_SAID_BEFORE = (
    "A request with this Idempotency-Key was stored before: its message is in the conversation, "
    "with the answer, if one was made."
)


class Keeping(Operations):
    """Keeps questions, whether the database is there or not."""

    async def _ask_in(
        self, user_id: str, text: str, place: str | None, *, memory: bool, temporary: bool
    ) -> Asked:
        question = Asked(
            user_id=user_id,
            text=text,
            conversation_id=place or (new_id() if temporary else None),
            message_id=None,
            memory=memory,
            temporary=temporary,
        )
        asked = self._utterance(question, "user", text)
        question = replace(question, write_id=asked.id)
        # Filled in before COMMIT: where its answer is lost, the journal goes on in the same place,
        # under the same id.
        stored_in: list[str] = []
        try:
            # Where that takes long, this waits on disk, too.
            await self._parts.outage.wait_for_earlier(asked, patience_s=_PATIENCE_S)
            return await self._in_time(self._ask_now(question, asked, stored_in))
        except ConflictError as error:
            # Its id is there: it is new, unless the request that it belongs to came before.
            raise ConflictError(_SAID_BEFORE) from error
        except (DatabaseGoneError, OutcomeUnknownError):
            if temporary or not memory or self._scope.tenant_id in self._parts.stateless:
                return replace(question, memory=False)
            where = place or (stored_in[0] if stored_in else repeated.id_of("conversation"))
            away = replace(question, conversation_id=where, memory=False, journalled=True)
            try:
                await self._parts.outage.keep(replace(asked, conversation_id=where))
            except UnavailableError:
                self._metrics.turns_failed.inc()
                raise
            return away

    async def _in_time(self, asking: Coroutine[Any, Any, Asked]) -> Asked:
        """Wait for as long as the database is only busy: the disk is for when it is away."""
        task = asyncio.ensure_future(asking)
        try:
            done, _ = await asyncio.wait([task], timeout=_PATIENCE_S)
            if not done and not await self._parts.database.answers():
                raise DatabaseGoneError
            return await task
        finally:
            task.cancel()

    async def _ask_now(self, question: Asked, asked: Utterance, stored_in: list[str]) -> Asked:
        async with self._transaction() as conn:
            standing = await users.standing(conn, question.user_id)
            if standing.mode == HALTED:
                raise HaltedError
            if not tenants.is_remembering(self._parts, self._scope, standing.settings):
                question = replace(question, memory=False)
            active = question.memory and standing.mode in (None, ACTIVE)
            if question.temporary or not question.memory:
                return replace(question, memory=active)
            stored = await said.ask(conn, asked)
            stored_in.append(stored.conversation_id)
        self._metrics.messages_stored.inc()
        return replace(
            question,
            conversation_id=stored.conversation_id,
            message_id=stored.id,
            memory=active,
        )

    def _utterance(self, question: Asked, role: Role, text: str) -> Utterance:
        return Utterance(
            id=repeated.id_of(role),
            tenant_id=self._scope.tenant_id,
            user_id=question.user_id,
            conversation_id=question.conversation_id,
            role=role,
            text=text,
            said_at=remembering.now().isoformat(),
        )
