"""A programmer who forgets every condition on the tenant, or on the user."""

import re
from collections import Counter
from typing import Any, LiteralString, cast

import psycopg
import pytest

# `tenant_id = %(tenant_id)s`, `users.tenant_id = …`, `tenant_id IN (%(tenant_id)s, 0)`, and the
# `tenant_id = messages.tenant_id` by which a query inside a query belongs to the one outside.
TENANT = re.compile(
    r"\b(?:\w+\.)?tenant_id\s*(?:=\s*(?:%\(tenant_id\)s|\w+\.tenant_id)"
    r"|IN\s*\(\s*%\(tenant_id\)s\s*,\s*0\s*\))"
)
USER = re.compile(r"\b(?:\w+\.)?user_id\s*=\s*%\(user_id\)s")

# What is compared with the tenant or the user and was not found by the patterns above.
OVERLOOKED = re.compile(r"(?:=|<>|\bIN\s*\()\s*%\((?:tenant_id|user_id)\)s")


class Programmer:
    """Leaves some conditions out of the SQL, and remembers how many of each there were."""

    def __init__(self, *forgets: re.Pattern[str]) -> None:
        self.forgets = forgets
        self.seen: Counter[re.Pattern[str]] = Counter()

    def forget(self, query: str) -> LiteralString:
        """Replace the conditions that are forgotten by TRUE."""
        rest = query
        for condition in (TENANT, USER):
            self.seen[condition] += len(condition.findall(query))
            rest = condition.sub("TRUE", rest)
            if condition in self.forgets:
                query = condition.sub("TRUE", query)
        assert not OVERLOOKED.search(rest), f"a condition was overlooked in {rest}"
        return cast("LiteralString", query)

    def let_loose(self, patch: pytest.MonkeyPatch) -> None:
        """Let every statement pass through these hands."""
        execute, forget = psycopg.AsyncCursor.execute, self.forget

        async def careless(
            cursor: psycopg.AsyncCursor[Any], query: str | bytes, *args: Any, **kwargs: Any
        ) -> psycopg.AsyncCursor[Any]:
            if isinstance(query, str):
                query = forget(query)
            return await execute(cursor, query, *args, **kwargs)

        patch.setattr(psycopg.AsyncCursor, "execute", careless)
