"""Changes: whether it is worth looking again."""

from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.changes import Changes
from longterm.store import changes


class Changing(Operations):
    """Tells what changed, for those who look again and again."""

    async def get_changes(self, user_id: str) -> Changes:
        """Return a version of each kind of things of a user, and what is under way."""
        user_id = inputs.user_id(user_id)
        with self._operation("get_changes", user_id=user_id):
            async with self._read_only() as conn:
                return await changes.look(conn, user_id)
