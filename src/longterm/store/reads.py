"""What reads rows: a transaction, or statements that are a transaction of their own."""

import re
from abc import ABC, abstractmethod
from functools import cache
from typing import Any, LiteralString, NamedTuple, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import execute
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult

from longterm.store.rows import Factory, records, scalars

T = TypeVar("T")
Params = dict[str, Any]
Rows = list[list[Any]]

_PARAMETER = re.compile(r"%\((\w+)\)s")
_BINARY = re.compile(r"%\(\w+\)b")


class Asked(NamedTuple):
    """A statement with its values, and what becomes of its rows; None only counts them."""

    query: LiteralString
    params: Params
    rows: Factory[Any] | None = None

    @property
    def is_text(self) -> bool:
        """Whether its values can be sent as text: those that are many are sent as they are."""
        return not _BINARY.search(self.query)


class Reads(ABC):
    """Reads rows as records or as plain values; every query knows its `tenant_id`."""

    def __init__(self, tenant_id: int | None) -> None:
        self.tenant_id = tenant_id

    async def all(self, record: type[T], query: LiteralString, /, **params: object) -> list[T]:
        """Every row, as records."""
        return await self._answer(self.asked(query, params, records(record)))

    async def first(self, record: type[T], query: LiteralString, /, **params: object) -> T | None:
        """The first row as a record, or None when there is none."""
        rows = await self._answer(self.asked(query, params, records(record)))
        return rows[0] if rows else None

    async def value(self, query: LiteralString, /, **params: object) -> Any:
        """The first column of the first row, or None when there is no row."""
        rows = await self._answer(self.asked(query, params, scalars))
        return rows[0] if rows else None

    async def values(self, query: LiteralString, /, **params: object) -> list[Any]:
        """The first column of every row."""
        return await self._answer(self.asked(query, params, scalars))

    @abstractmethod
    async def _answer(self, asked: Asked) -> list[Any]: ...

    def asked(
        self, query: LiteralString, params: Params, rows: Factory[Any] | None = None
    ) -> Asked:
        """The statement as it is asked here."""
        return Asked(query, {**params, "tenant_id": self.tenant_id}, rows)


class Connection(psycopg.AsyncConnection[Any]):
    """A connection that knows which statements it has prepared by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.prepared: dict[str, str] = {}
        self._named = 0
        # One for all: making one takes longer than what it does.
        self._transformer = Transformer(self)

    async def send(self, *script: str | Asked) -> Rows:
        """Send everything as one text, in one round trip; returns the rows of what is asked.

        What is not asked is one statement each, but for the first, which may be several.
        """
        told = [Told(each) if isinstance(each, str) else self._told(each) for each in script]
        text = "; ".join(each.text for each in told).encode()
        # Not by a cursor: with one a short read takes a sixth longer.
        async with self.lock:
            results = await self.wait(_executed(self.pgconn, text))
        found: Rows = []
        place = 0
        for asked, sent in zip(reversed(script), reversed(told), strict=True):
            place -= 1
            if isinstance(asked, str):
                continue
            found.append(self._rows(results[place], asked))
            if sent.makes is not None:
                self.prepared[asked.query] = sent.makes
                place -= 1
        return found[::-1]

    async def ask(self, asked: Asked) -> list[Any]:
        """Send a statement with its values beside it."""
        cursor = await self.execute(asked.query, asked.params)
        return [] if cursor.pgresult is None else self._rows(cursor.pgresult, asked)

    def _rows(self, result: PGresult, asked: Asked) -> list[Any]:
        if asked.rows is None:
            return [result.command_tuples or 0]
        transformer = self._transformer
        transformer.set_pgresult(result, set_loaders=True, format=Format.TEXT)
        rows = transformer.load_rows(0, result.ntuples, asked.rows(result))
        # What somebody said is not held until the connection is used again.
        transformer.set_pgresult(None)
        return rows

    def _told(self, asked: Asked) -> "Told":
        """Return a statement with its values in it, prepared where it is not yet.

        Prepared, because planning costs more than reading; by our own hand, because the driver
        prepares only what is sent alone. Behind a pooler there is no name.
        """
        query = asked.query
        names = _parameters(query)
        values = {name: self._quoted(asked.params[name]) for name in names}
        if self.prepare_threshold is None:
            return Told(query % values)
        given = f" ({', '.join(values.values())})" if values else ""
        if (name := self.prepared.get(query)) is not None:
            return Told(f"EXECUTE {name}{given}")
        # A new name for each attempt: one that failed may have been prepared nevertheless.
        self._named += 1
        name = f"longterm_{self._named}"
        places = {each: f"${place}" for place, each in enumerate(names, 1)}
        return Told(f"PREPARE {name} AS {query % places}; EXECUTE {name}{given}", name)

    def _quoted(self, value: object) -> str:
        return str(value) if type(value) is int else self._transformer.as_literal(value).decode()


class Told(NamedTuple):
    """A statement as text, and the name that it is prepared under once it was executed."""

    text: str
    makes: str | None = None


def _executed(connection: PGconn, text: bytes) -> PQGen[list[PGresult]]:
    connection.send_query(text)
    results = yield from execute(connection)
    if results[-1].status == ExecStatus.FATAL_ERROR:
        raise error_from_result(results[-1])
    return results


@cache
def _parameters(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PARAMETER.findall(query)))
