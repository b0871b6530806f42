"""States: one mode per user."""

from longterm.errors import MemoryNotFoundError
from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.state import UserState
from longterm.store import users


class States(Operations):
    """Set, get and delete."""

    async def set_user_state(self, user_id: str, mode: str) -> None:
        """Set the mode of a user, such as `active` or `halted`."""
        user_id, mode = inputs.user_id(user_id), inputs.name(mode, "mode")
        with self._operation("set_user_state", user_id=user_id):
            async with self._transaction() as conn:
                await users.ensure(conn, user_id)
                await users.set_state(conn, user_id=user_id, mode=mode)

    async def get_user_state(self, user_id: str) -> UserState | None:
        """Return the state that was set, or None."""
        user_id = inputs.user_id(user_id)
        with self._operation("get_user_state", user_id=user_id):
            async with self._read_only() as conn:
                return await users.get_state(conn, user_id)

    async def delete_user_state(self, user_id: str) -> None:
        """Forget the state; the user counts as active again."""
        user_id = inputs.user_id(user_id)
        with self._operation("delete_user_state", user_id=user_id):
            async with self._transaction() as conn:
                if not await users.clear_state(conn, user_id):
                    raise MemoryNotFoundError("This user has no state.")
