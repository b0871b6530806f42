"""Key-value memory: JSON objects that the application keeps about a user."""

import asyncio
from collections.abc import Mapping
from typing import Any

from longterm.errors import MemoryNotFoundError
from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.json import JsonObject
from longterm.records.keyvalue import UserMemory
from longterm.store import keyvalues, users
from longterm.text.secrets import gate


class KeyValues(Operations):
    """Set, get, list, delete and clear."""

    async def set_memory(self, user_id: str, key: str, value: Mapping[str, Any]) -> int:
        """Store a JSON object beneath a key, in place of the one that is there."""
        user_id, key = inputs.user_id(user_id), inputs.open_name(key, "key")
        checked = inputs.json_object(value, "value", limits=self._rules.limits)
        # In a thread: an object may have a million characters.
        await asyncio.to_thread(gate.check_memory, key, checked)
        with self._operation("set_memory", user_id=user_id):
            async with self._transaction() as conn:
                await users.ensure(conn, user_id)
                return await keyvalues.set_(conn, user_id=user_id, key=key, value=checked)

    async def get_memory(self, user_id: str, key: str) -> JsonObject | None:
        """Return the object beneath a key, or None."""
        user_id, key = inputs.user_id(user_id), inputs.name(key, "key")
        with self._operation("get_memory", user_id=user_id):
            async with self._read_only() as conn:
                return await keyvalues.get(conn, user_id=user_id, key=key)

    async def get_all_memory(self, user_id: str) -> list[UserMemory]:
        """Every key of a user with its object, by key."""
        user_id = inputs.user_id(user_id)
        with self._operation("get_all_memory", user_id=user_id):
            async with self._read_only() as conn:
                return await keyvalues.list_(conn, user_id)

    async def delete_memory(self, user_id: str, key: str) -> None:
        """Delete a key."""
        user_id, key = inputs.user_id(user_id), inputs.name(key, "key")
        with self._operation("delete_memory", user_id=user_id):
            async with self._transaction() as conn:
                if not await keyvalues.delete(conn, user_id=user_id, key=key):
                    raise MemoryNotFoundError("This user has no memory beneath that key.")

    async def clear_all_memory(self, user_id: str) -> int:
        """Delete every key of a user, and tell how many there were."""
        user_id = inputs.user_id(user_id)
        with self._operation("clear_all_memory", user_id=user_id):
            async with self._transaction() as conn:
                return await keyvalues.clear(conn, user_id)
