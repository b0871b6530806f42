"""A transaction that sees the rows of one scope."""

from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg.rows import class_row, scalar_row

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]


class Conn:
    """Runs statements inside a transaction; every statement knows its `tenant_id`."""

    def __init__(self, raw: Connection, tenant_id: int | None) -> None:
        self.raw = raw
        self.tenant_id = tenant_id

    async def all(self, record: type[T], query: LiteralString, /, **params: object) -> list[T]:
        """Every row, as records whose fields are the columns."""
        async with self.raw.cursor(row_factory=class_row(record)) as cursor:
            await cursor.execute(query, self._with_tenant(params))
            return await cursor.fetchall()

    async def first(self, record: type[T], query: LiteralString, /, **params: object) -> T | None:
        """The first row as a record, or None when there is none."""
        async with self.raw.cursor(row_factory=class_row(record)) as cursor:
            await cursor.execute(query, self._with_tenant(params))
            return await cursor.fetchone()

    async def value(self, query: LiteralString, /, **params: object) -> Any:
        """The first column of the first row, or None when there is no row."""
        async with self.raw.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, self._with_tenant(params))
            return await cursor.fetchone()

    async def values(self, query: LiteralString, /, **params: object) -> list[Any]:
        """The first column of every row."""
        async with self.raw.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, self._with_tenant(params))
            return await cursor.fetchall()

    async def run(self, query: LiteralString, /, **params: object) -> int:
        """Run a statement and return the number of rows it touched."""
        cursor = await self.raw.execute(query, self._with_tenant(params))
        return cursor.rowcount

    def _with_tenant(self, params: dict[str, object]) -> dict[str, object]:
        return {**params, "tenant_id": self.tenant_id}
