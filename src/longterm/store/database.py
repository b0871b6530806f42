"""The way to a connection: a transaction that sees one tenant."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from hashlib import sha256
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.json import set_json_loads
from psycopg.types.string import TextLoader
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from longterm.errors import (
    ClosedError,
    DatabaseBusyError,
    DatabaseFullError,
    DatabaseGoneError,
    LongtermError,
    OutcomeUnknownError,
    UnavailableError,
)
from longterm.records.scope import Scope
from longterm.store import tickets
from longterm.store.database_errors import translate
from longterm.store.glances import Glance, Glances
from longterm.store.reads import Asked, Connection, Reads, Rows
from longterm.store.rows import read_json, scalars
from longterm.store.session import BEGIN, ENCODING, Session
from longterm.store.silence import Watch
from longterm.store.tickets import Ticket

T = TypeVar("T")
Begin = Callable[..., Awaitable[tuple[Connection, Rows]]]

# How often somebody looks whether a database that is gone is back, and for how long.
_PROBE_EVERY_S = 0.25
_PROBE_PATIENCE_S = 2
_RECONNECT_S = 0.5
# Nobody waits for a connection apart from the pool; given up, it is not tried again for a while.
_ALONE_PATIENCE_S = 30

# Who acts is set for the transaction only: behind pgbouncer the next transaction on this
# connection may be another client's. SET LOCAL and not set_config(): Citus hands on only SET.
_SYSTEM = "SET LOCAL ROLE longterm_system"
_TENANT = "SET LOCAL ROLE longterm_app; SET LOCAL longterm.tenant_id = '{tenant_id}'"
_USER = "; SET LOCAL longterm.user_id = {user_id}"

_ELSEWHERE = (
    "This Longterm was opened in another event loop, or before the process forked: open another one "
    "here."
)

_UNFINISHED = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class Conn(Reads):
    """A transaction of one scope, which begins with the first thing that is asked in it."""

    def __init__(
        self,
        raw: Connection | None,
        tenant_id: int | None,
        begin: Begin | None = None,
    ) -> None:
        super().__init__(tenant_id)
        self._raw = raw
        self._begin = begin

    @property
    def raw(self) -> Connection:
        """The connection, once the transaction has begun."""
        if self._raw is None:
            raise AssertionError("a transaction begins with a statement")
        return self._raw

    async def run(self, query: LiteralString, /, **params: object) -> int:
        """Do it, and tell how many rows it touched."""
        (touched,) = await self._answer(self.asked(query, params))
        return touched

    async def _answer(self, asked: Asked) -> list[Any]:
        if (begin := self._begin) is not None:
            # Nobody else begins another one meanwhile.
            self._begin = None
            self._raw, found = await begin(*([asked] if asked.is_text else []))
            if found:
                return found[0]
        return await self.raw.ask(asked)


class Database:
    """A pool of connections, handed out as transactions of one scope."""

    def __init__(
        self,
        conninfo: str,
        *,
        pool_size: int = 10,
        connect_timeout_s: float = 10,
        statement_timeout_s: float = 30,
        revive: Callable[[], Awaitable[DatabaseGoneError | None]] | None = None,
        set_up: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Nothing is opened yet.

        `revive` starts a server of our own again that is gone, or returns why that fails. `set_up`
        is awaited before a database that was away at the start is used.
        """
        self._conninfo = conninfo
        self._revive = revive
        self._set_up = set_up
        self._session = Session(statement_timeout_s=statement_timeout_s)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._probing: asyncio.Task[None] | None = None
        self._cause = DatabaseGoneError()
        self._watch = Watch(conninfo, self._found_gone)
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            conninfo,
            connection_class=Connection,
            min_size=1,
            max_size=pool_size,
            timeout=connect_timeout_s,
            # Given up soon, an attempt is made anew as soon as somebody asks for a connection.
            reconnect_timeout=_RECONNECT_S,
            kwargs={"autocommit": True, "client_encoding": ENCODING},
            configure=self._configure,
            open=False,
            name="longterm",
        )

    async def open(self) -> None:
        """Connect; raises DatabaseGoneError when nobody answers."""
        self._loop = asyncio.get_running_loop()
        await self._pool.open()
        try:
            await self._pool.wait(timeout=self._pool.timeout)
        except PoolTimeout as error:
            await self._pool.close()
            raise DatabaseGoneError from error

    async def open_later(self) -> None:
        """Connect when the database is there; until then it is gone."""
        self._loop = asyncio.get_running_loop()
        await self._pool.open()
        self._found_gone()

    async def close(self) -> None:
        """Give back every connection."""
        self._loop = None
        if self._probing is not None:
            self._probing.cancel()
        await self._watch.close()
        await self._pool.close()

    @property
    def is_gone(self) -> bool:
        """Whether the database did not answer when it was last asked."""
        return self._probing is not None

    def _found_gone(self, cause: Exception | None = None) -> DatabaseGoneError:
        """Let everybody fail at once from here on, and somebody look when it is back."""
        if isinstance(cause, DatabaseFullError):
            self._cause = cause
        if self._probing is None:
            self._probing = asyncio.create_task(self._probe())
        return self._gone()

    def _gone(self) -> DatabaseGoneError:
        # A new one each time: an exception that is raised twice collects two tracebacks.
        return type(self._cause)(str(self._cause))

    async def _probe(self) -> None:
        try:
            while True:
                await asyncio.sleep(_PROBE_EVERY_S)
                # The pool pauses for longer and longer between its own attempts.
                if not (await self._is_set_up() and await self.answers()):
                    if self._revive is None:
                        continue
                    if (cause := await self._revive()) is not None:
                        self._cause = cause
                        continue
                if await self._is_set_up() and await self._is_pool_back():
                    return
        finally:
            self._probing = None
            self._cause = DatabaseGoneError()

    async def _is_set_up(self) -> bool:
        if self._set_up is not None:
            try:
                await self._set_up()
            except UnavailableError:
                return False
            self._set_up = None
        return True

    async def _is_pool_back(self) -> bool:
        # Each connection that broke while it lay idle fails once.
        for _ in range(self._pool.max_size + 1):
            try:
                async with self._pool.connection(timeout=_PROBE_PATIENCE_S) as raw:
                    await raw.execute("SELECT 1")
                await self._pool.check()
            except PoolTimeout:
                return False
            except psycopg.Error:
                continue
            return True
        return False

    def tenant(self, scope: Scope) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction that sees what belongs to `scope`, and nothing else."""
        return self._transaction(_acting(scope), scope.tenant_id)

    def system(self) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction over all tenants' jobs; it can't read what users said."""
        return self._transaction(_SYSTEM, None)

    def glance(self, scope: Scope | None) -> Glance:
        """Read what belongs to `scope`, or over all tenants, without a transaction around it."""
        if scope is None:
            return Glance(partial(self._read, _SYSTEM), None)
        return Glance(partial(self._read, _acting(scope)), scope.tenant_id)

    def glances(self, scope: Scope) -> Glances:
        """Read several things of `scope` at once, as `asyncio.gather` asks for them."""
        return Glances(partial(self._read, _acting(scope)), scope.tenant_id)

    async def _read(self, acting: str, *asked: Asked) -> Rows:
        ticket = None if acting == _SYSTEM else tickets.unconfirmed()
        key = () if ticket is None else (_SYSTEM, _looked_up(ticket))

        async def read(raw: Connection) -> Rows:
            begun = f"{BEGIN} READ ONLY; {self._unsaid(raw)}{acting}"
            return await _sent(raw, begun, *asked, *key, "COMMIT")

        raw, found = await self._connected(read)
        self._watch.end(raw)
        await self._pool.putconn(raw)
        if ticket is not None:
            ticket.settle(*found.pop())
        return found

    @asynccontextmanager
    async def _transaction(self, acting: str, tenant_id: int | None) -> AsyncGenerator[Conn]:
        taken: list[Connection] = []

        async def begin(*asked: Asked) -> tuple[Connection, Rows]:
            if acting != _SYSTEM and (ticket := tickets.unconfirmed()) is not None:
                # Before anything is written.
                ticket.settle(*(await self._read(_SYSTEM, _looked_up(ticket)))[0])
            raw, found = await self._connected(
                lambda raw: _sent(raw, f"{BEGIN}; {self._unsaid(raw)}{acting}", *asked)
            )
            taken.append(raw)
            return raw, found

        try:
            yield Conn(None, tenant_id, begin)
            for raw in taken:
                await self._commit(raw)
        except psycopg.Error as error:
            raise self._translated(error) from error
        finally:
            for raw in taken:
                await self._put_back(raw)

    async def _commit(self, raw: Connection) -> None:
        """Commit; a connection that is lost meanwhile leaves open whether it happened."""
        try:
            await raw.commit()
        except psycopg.Error as error:
            told = self._translated(error)
            if isinstance(told, DatabaseGoneError):
                raise OutcomeUnknownError from error
            raise told from error

    async def _connected(self, begin: Callable[[Connection], Awaitable[T]]) -> tuple[Connection, T]:
        """Take a connection and begin; one that died while it lay idle is replaced."""
        if self._loop is not asyncio.get_running_loop():
            raise ClosedError(None if self._loop is None else _ELSEWHERE)
        if self.is_gone:
            raise self._gone()
        for attempt in range(self._pool.max_size + 1):
            try:
                raw = await self._pool.getconn()
            except PoolTimeout as error:
                raise await self._out_of_connections() from error
            except PoolClosed as error:
                raise ClosedError from error
            self._watch.begin(raw)
            try:
                return raw, await begin(raw)
            except psycopg.Error as error:
                await self._put_back(raw)
                if not raw.broken or attempt == self._pool.max_size:
                    raise self._translated(error) from error
                if self.is_gone or not await self.answers():
                    raise self._found_gone(translate(error)) from error
            except BaseException:
                # Also when cancelled: a connection that is not put back is lost to the pool.
                await self._put_back(raw)
                raise
        raise self._found_gone()

    async def _put_back(self, raw: Connection) -> None:
        try:
            if raw.info.transaction_status in _UNFINISHED:
                await raw.rollback()
        finally:
            self._watch.end(raw)
            await self._pool.putconn(raw)

    def _unsaid(self, raw: Connection) -> str:
        """What a connection that a pooler shares has not been told once for all."""
        return self._session.local(raw) if raw.prepare_threshold is None else ""

    async def _configure(self, raw: Connection) -> None:
        raw.adapters.register_loader("uuid", TextLoader)
        set_json_loads(read_json, raw)
        shared = await is_pooled(raw)
        if shared:
            # pgbouncer before 1.21 loses prepared statements between transactions.
            raw.prepare_threshold = None
        await self._session.begin(raw, shared=shared)

    async def _out_of_connections(self) -> LongtermError:
        return DatabaseBusyError() if await self.answers() else self._found_gone()

    async def answers(self) -> bool:
        """Whether a new connection can be made; the pool would wait for one and not say."""
        try:
            raw = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_PROBE_PATIENCE_S, client_encoding=ENCODING
            )
        except psycopg.Error as error:
            # libpq reports a failed connection by its text only.
            if os.strerror(errno.ENOSPC) in str(error):
                self._cause = DatabaseFullError()
            return False
        await raw.close()
        return True

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        """Connect apart from the pool, for what lasts longer than a transaction."""
        async with await psycopg.AsyncConnection.connect(
            self._conninfo,
            autocommit=True,
            connect_timeout=_ALONE_PATIENCE_S,
            client_encoding=ENCODING,
        ) as raw:
            if await is_pooled(raw):
                raise psycopg.NotSupportedError("A pooler shares its connections.")
            await self._session.begin(raw, shared=False)
            yield raw

    def _translated(self, error: psycopg.Error) -> Exception:
        told = translate(error)
        # With a full disk the server still answers, and what it has can be read.
        if isinstance(told, DatabaseGoneError) and not isinstance(told, DatabaseFullError):
            return self._found_gone(told)
        return told


async def _sent(raw: Connection, *script: str | Asked) -> Rows:
    try:
        return await raw.send(*script)
    except psycopg.errors.InvalidSqlStatementName:
        # After a rollback the driver throws away all that was prepared, and ours with it.
        raw.prepared.clear()
        await raw.rollback()
        return await raw.send(*script)


def _looked_up(ticket: Ticket) -> Asked:
    return Asked(tickets.STILL_GOOD, {"key_hash": ticket.key_hash}, scalars)


def _acting(scope: Scope) -> str:
    acting = _TENANT.format(tenant_id=int(scope.tenant_id))
    if scope.user_id is not None:
        acting += _USER.format(user_id=_quoted(scope.user_id))
    return acting


def _quoted(text: str) -> str:
    """Return a literal of ASCII alone: it means the same with every setting and encoding."""
    safe = (
        character if character.isascii() and character.isalnum() else f"\\U{ord(character):08X}"
        for character in text
    )
    return f"E'{''.join(safe)}'"


def identity(conninfo: str) -> str:
    """A short name of a database, without its password: what belongs to one goes to no other."""
    told = conninfo_to_dict(conninfo)
    named = [f"{key}={told[key]}" for key in ("host", "hostaddr", "port", "dbname") if key in told]
    return sha256(" ".join(named).encode()).hexdigest()[:16]


async def is_pooled(raw: psycopg.AsyncConnection[Any]) -> bool:
    """Whether a pooler stands in between, which may share the connection with others."""
    # A pooler in between invents the process id that it tells the client at connect.
    cursor = await raw.execute("SELECT pg_backend_pid()")
    row: Sequence[int] | None = await cursor.fetchone()
    return row is None or row[0] != raw.info.backend_pid
