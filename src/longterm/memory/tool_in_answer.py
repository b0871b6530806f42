"""The tool in the hands of the model that answers: it writes as long as its question is there."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from longterm.errors import MemoryNotFoundError
from longterm.memory.operations import Parts
from longterm.memory.tool import Tool
from longterm.postgres.transaction import Conn
from longterm.records.scope import Scope
from longterm.store import forgetting, users


class ToolInAnswer(Tool):
    """Makes looking for the question and writing one transaction."""

    def __init__(self, parts: Parts, scope: Scope, *, user_id: str, question_id: int) -> None:
        super().__init__(parts, scope)
        self._user_id = user_id
        self._question_id = question_id

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[Conn]:
        async with super()._transaction() as conn:
            # Who forgets holds the user's row too, until the message is gone: it was gone before
            # this, or it goes afterwards with what is written here.
            await users.lock(conn, self._user_id)
            place = await forgetting.place(
                conn, user_id=self._user_id, message_id=self._question_id
            )
            if place is None:
                raise MemoryNotFoundError("The question was forgotten.")
            yield conn
