"""What reads rows: a transaction, or a statement that is a transaction of its own."""

import re
from abc import ABC, abstractmethod
from functools import cache
from typing import Any, LiteralString, NamedTuple, TypeVar

import psycopg
from psycopg.adapt import Transformer
from psycopg.rows import AsyncRowFactory, scalar_row

from longterm.store.rows import records

T = TypeVar("T")
Params = dict[str, Any]

_PARAMETER = re.compile(r"%\((\w+)\)s")


class Reads(ABC):
    """Reads rows as records or as plain values; every query knows its `tenant_id`."""

    def __init__(self, tenant_id: int | None) -> None:
        self.tenant_id = tenant_id

    async def all(self, record: type[T], query: LiteralString, /, **params: object) -> list[T]:
        """Every row, as records."""
        cursor = await self._ask(records(record), query, params)
        return await cursor.fetchall()

    async def first(self, record: type[T], query: LiteralString, /, **params: object) -> T | None:
        """The first row as a record, or None when there is none."""
        cursor = await self._ask(records(record), query, params)
        return await cursor.fetchone()

    async def value(self, query: LiteralString, /, **params: object) -> Any:
        """The first column of the first row, or None when there is no row."""
        cursor = await self._ask(scalar_row, query, params)
        return await cursor.fetchone()

    async def values(self, query: LiteralString, /, **params: object) -> list[Any]:
        """The first column of every row."""
        cursor = await self._ask(scalar_row, query, params)
        return await cursor.fetchall()

    @abstractmethod
    async def _ask(
        self, rows: AsyncRowFactory[Any], query: LiteralString, params: Params
    ) -> psycopg.AsyncCursor[Any]: ...

    def _with_tenant(self, params: Params) -> Params:
        params["tenant_id"] = self.tenant_id
        return params


class Connection(psycopg.AsyncConnection[Any]):
    """A connection that knows which statements it has prepared by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.prepared: dict[str, str] = {}
        self._named = 0
        # One for all values: `sql.quote` makes a new one for each, which takes longer than quoting.
        self._quoting = Transformer(self)

    def told(self, query: LiteralString, params: Params) -> "Told":
        """Return a statement with its values in it, prepared where it is not yet.

        Prepared, because planning costs more than reading; by our own hand, because the driver
        prepares only what is sent alone. Behind a pooler there is no name.
        """
        names = _parameters(query)
        values = {name: self._quoted(params[name]) for name in names}
        if self.prepare_threshold is None:
            return Told(query, query % values)
        name = self.prepared.get(query)
        making = ""
        if is_new := name is None:
            # A new name for each attempt: one that failed may have been prepared nevertheless.
            self._named += 1
            name = f"longterm_{self._named}"
            places = {each: f"${place}" for place, each in enumerate(names, 1)}
            making = f"PREPARE {name} AS {query % places}; "
        given = f" ({', '.join(values.values())})" if values else ""
        return Told(query, f"{making}EXECUTE {name}{given}", name, is_new=is_new)

    def _quoted(self, value: object) -> str:
        return str(value) if type(value) is int else self._quoting.as_literal(value).decode()

    def know(self, *told: "Told | None") -> None:
        """Note that statements were executed, and so are prepared."""
        for each in told:
            if each is not None and each.name is not None and each.is_new:
                self.prepared[each.query] = each.name


class Told(NamedTuple):
    """A statement as text, and the name that it is prepared under once it was executed."""

    query: str
    text: str
    name: str | None = None
    is_new: bool = False


@cache
def _parameters(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PARAMETER.findall(query)))
