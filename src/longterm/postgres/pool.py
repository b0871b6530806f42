"""The database: a pool of connections, handed out as transactions of one scope."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
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
from longterm.postgres.errors import translate
from longterm.postgres.session import BEGIN, ENCODING, Session
from longterm.postgres.stall import StallDetector
from longterm.postgres.transaction import Conn, Connection
from longterm.records.scope import Scope

# A lost database is probed this often, each attempt with this time limit.
_PROBE_EVERY_S = 0.25
_PROBE_TIMEOUT_S = 2
_RECONNECT_S = 0.5
_DIRECT_TIMEOUT_S = 30

_SYSTEM = ("SET LOCAL ROLE longterm_system",)

_OTHER_LOOP = (
    "This Longterm was opened in another event loop, or before the process forked: open another one "
    "here."
)

_UNFINISHED = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


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
        """Open nothing yet.

        `revive` restarts an embedded server that died, or returns why it cannot. `set_up` runs
        before the first use of a database that was away at the start.
        """
        self._conninfo = conninfo
        self._revive = revive
        self._set_up = set_up
        self._session = Session(statement_timeout_s=statement_timeout_s)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._probe_task: asyncio.Task[None] | None = None
        self._cause = DatabaseGoneError()
        self._stalls = StallDetector(conninfo, self._mark_gone)
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            conninfo,
            min_size=1,
            max_size=pool_size,
            timeout=connect_timeout_s,
            # The pool gives up an attempt soon and makes the next one when a caller asks.
            reconnect_timeout=_RECONNECT_S,
            kwargs={"autocommit": True, "client_encoding": ENCODING},
            configure=self._configure,
            open=False,
            name="longterm",
        )

    async def open(self) -> None:
        """Connect; raises DatabaseGoneError when the server does not answer."""
        self._loop = asyncio.get_running_loop()
        await self._pool.open()
        try:
            await self._pool.wait(timeout=self._pool.timeout)
        except PoolTimeout as error:
            await self._pool.close()
            raise DatabaseGoneError from error

    async def open_later(self) -> None:
        """Connect in the background; until then the database counts as gone."""
        self._loop = asyncio.get_running_loop()
        await self._pool.open()
        self._mark_gone()

    async def close(self) -> None:
        """Close every connection."""
        self._loop = None
        if self._probe_task is not None:
            self._probe_task.cancel()
        await self._stalls.close()
        await self._pool.close()

    @property
    def is_gone(self) -> bool:
        """Whether the database did not answer when it was last asked."""
        return self._probe_task is not None

    def tenant(self, scope: Scope, *, read_only: bool = False) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction that sees the rows of `scope` and no others."""
        return self._transaction(_scope_statements(scope), scope.tenant_id, read_only=read_only)

    def system(self, *, read_only: bool = False) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction over the jobs and keys of all tenants; it can read no user's text."""
        return self._transaction(_SYSTEM, None, read_only=read_only)

    @asynccontextmanager
    async def _transaction(
        self, scope: Sequence[str], tenant_id: int | None, *, read_only: bool
    ) -> AsyncGenerator[Conn]:
        raw = await self._begin((f"{BEGIN} READ ONLY" if read_only else BEGIN, *scope))
        try:
            yield Conn(raw, tenant_id)
            await self._commit(raw)
        except psycopg.Error as error:
            raise self._translated(error) from error
        finally:
            await self._put_back(raw)

    async def _commit(self, raw: Connection) -> None:
        """Commit; when the connection breaks meanwhile, nobody knows whether it happened."""
        try:
            await raw.commit()
        except psycopg.Error as error:
            translated = self._translated(error)
            if isinstance(translated, DatabaseGoneError):
                raise OutcomeUnknownError from error
            raise translated from error

    async def _begin(self, statements: Sequence[str]) -> Connection:
        """Take a connection and begin; a connection that died while idle is replaced."""
        if self._loop is not asyncio.get_running_loop():
            raise ClosedError(None if self._loop is None else _OTHER_LOOP)
        if self.is_gone:
            raise self._gone()
        for attempt in range(self._pool.max_size + 1):
            raw = await self._take()
            try:
                await self._send(raw, statements)
            except psycopg.Error as error:
                await self._put_back(raw)
                if not raw.broken or attempt == self._pool.max_size:
                    raise self._translated(error) from error
                if self.is_gone or not await self.answers():
                    raise self._mark_gone(translate(error)) from error
            except BaseException:
                # Cancelled, too: a connection that is not put back is lost to the pool.
                await self._put_back(raw)
                raise
            else:
                return raw
        raise self._mark_gone()

    async def _take(self) -> Connection:
        try:
            raw = await self._pool.getconn()
        except PoolTimeout as error:
            raise await self._out_of_connections() from error
        except PoolClosed as error:
            raise ClosedError from error
        self._stalls.begin(raw)
        return raw

    async def _send(self, raw: Connection, statements: Sequence[str]) -> None:
        """Send statements without values in one round trip."""
        if raw.prepare_threshold is None:
            # A pooler may have handed this connection to another client meanwhile.
            statements = (statements[0], *self._session.local(raw), *statements[1:])
        await raw.execute("; ".join(statements).encode(), prepare=False)

    async def _put_back(self, raw: Connection) -> None:
        try:
            if raw.info.transaction_status in _UNFINISHED:
                await raw.rollback()
        finally:
            self._stalls.end(raw)
            await self._pool.putconn(raw)

    async def _configure(self, raw: Connection) -> None:
        raw.adapters.register_loader("uuid", TextLoader)
        shared = await is_pooled(raw)
        if shared:
            # pgbouncer before 1.21 loses prepared statements between transactions.
            raw.prepare_threshold = None
        await self._session.begin(raw, shared=shared)

    async def _out_of_connections(self) -> LongtermError:
        return DatabaseBusyError() if await self.answers() else self._mark_gone()

    async def answers(self) -> bool:
        """Whether a new connection can be made."""
        try:
            raw = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_PROBE_TIMEOUT_S, client_encoding=ENCODING
            )
        except psycopg.Error as error:
            # libpq reports a failed connection by its text only.
            if os.strerror(errno.ENOSPC) in str(error):
                self._cause = DatabaseFullError()
            return False
        await raw.close()
        return True

    @asynccontextmanager
    async def direct_connection(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        """Connect outside the pool, for what lasts longer than a transaction."""
        async with await psycopg.AsyncConnection.connect(
            self._conninfo,
            autocommit=True,
            connect_timeout=_DIRECT_TIMEOUT_S,
            client_encoding=ENCODING,
        ) as raw:
            if await is_pooled(raw):
                raise psycopg.NotSupportedError("A pooler shares its connections.")
            await self._session.begin(raw, shared=False)
            yield raw

    def _mark_gone(self, cause: Exception | None = None) -> DatabaseGoneError:
        """Fail every caller at once from here on, until a probe finds the database back."""
        if isinstance(cause, DatabaseFullError):
            self._cause = cause
        if self._probe_task is None:
            self._probe_task = asyncio.create_task(self._probe())
        return self._gone()

    def _gone(self) -> DatabaseGoneError:
        # A new one each time: an exception that is raised twice collects two tracebacks.
        return type(self._cause)(str(self._cause))

    async def _probe(self) -> None:
        try:
            while True:
                await asyncio.sleep(_PROBE_EVERY_S)
                # Not by the pool, which waits longer and longer between its attempts.
                if not (await self._is_set_up() and await self.answers()):
                    if self._revive is None:
                        continue
                    if (cause := await self._revive()) is not None:
                        self._cause = cause
                        continue
                if await self._is_set_up() and await self._is_pool_back():
                    return
        finally:
            self._probe_task = None
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
        # Each connection that broke while idle fails once.
        for _ in range(self._pool.max_size + 1):
            try:
                async with self._pool.connection(timeout=_PROBE_TIMEOUT_S) as raw:
                    await raw.execute("SELECT 1")
                await self._pool.check()
            except PoolTimeout:
                return False
            except psycopg.Error:
                continue
            return True
        return False

    def _translated(self, error: psycopg.Error) -> Exception:
        translated = translate(error)
        # With a full disk the server still answers, and stored rows can be read.
        if isinstance(translated, DatabaseGoneError) and not isinstance(
            translated, DatabaseFullError
        ):
            return self._mark_gone(translated)
        return translated


def _scope_statements(scope: Scope) -> tuple[str, ...]:
    # SET LOCAL: behind pgbouncer the next transaction on this connection may be another client's.
    # Not set_config(): Citus passes only SET on to its workers. SET takes no parameters.
    statements = (
        "SET LOCAL ROLE longterm_app",
        f"SET LOCAL longterm.tenant_id = '{int(scope.tenant_id)}'",
    )
    if scope.user_id is None:
        return statements
    return (*statements, f"SET LOCAL longterm.user_id = {_quoted(scope.user_id)}")


def _quoted(text: str) -> str:
    """Return a literal of ASCII alone, which means the same in every encoding."""
    safe = (
        character if character.isascii() and character.isalnum() else f"\\U{ord(character):08X}"
        for character in text
    )
    return f"E'{''.join(safe)}'"


def identity(conninfo: str) -> str:
    """A short name of a database, without its password."""
    given = conninfo_to_dict(conninfo)
    named = [
        f"{key}={given[key]}" for key in ("host", "hostaddr", "port", "dbname") if key in given
    ]
    return sha256(" ".join(named).encode()).hexdigest()[:16]


async def is_pooled(raw: psycopg.AsyncConnection[Any]) -> bool:
    """Whether a pooler stands in between, which may share the connection with others."""
    # A pooler makes up the process id that it reports to the client at connect.
    cursor = await raw.execute("SELECT pg_backend_pid()")
    row: Sequence[int] | None = await cursor.fetchone()
    return row is None or row[0] != raw.info.backend_pid
