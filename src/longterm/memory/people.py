"""The users of a tenant."""

from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.page import Page
from longterm.records.person import Person
from longterm.store import people


class People(Operations):
    """Lists who is known."""

    async def list_users(
        self, limit: int = 50, cursor: str | None = None, search: str | None = None
    ) -> Page[Person]:
        """Return the users of the tenant by their ids; `search` looks for a part of the id."""
        limit = inputs.limit(limit)
        after = "" if cursor is None else inputs.name(cursor, "cursor")
        pattern = None if search is None else inputs.pattern(search, "search")
        with self._operation("list_users"):
            async with self._transaction() as conn:
                found = await people.page(conn, after=after, limit=limit + 1, pattern=pattern)
        items = tuple(found[:limit])
        return Page(items, items[-1].id if len(found) > limit else None)
