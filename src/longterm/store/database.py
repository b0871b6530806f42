"""The way to a connection: a transaction that sees one tenant."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.rows import AsyncRowFactory, tuple_row
from psycopg.types.string import TextLoader
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from longterm.errors import (
    ConflictError,
    DatabaseBusyError,
    DatabaseGoneError,
    LongtermError,
    NotAllowedError,
)
from longterm.records.scope import Scope
from longterm.store import tickets
from longterm.store.reads import Connection, Params, Reads
from longterm.store.silence import Watch
from longterm.store.tickets import Ticket

Cursor = psycopg.AsyncCursor[Any]
Asked = tuple[LiteralString, Params]

# How often somebody looks whether a database that is gone is back, and for how long.
_PROBE_EVERY_S = 0.25
_PROBE_PATIENCE_S = 2
_RECONNECT_S = 0.5

# Who acts is set for the transaction only: behind pgbouncer the next transaction on this
# connection may be another client's. SET LOCAL and not set_config(): Citus hands on only SET.
_SYSTEM = "SET LOCAL ROLE longterm_system"
_TENANT = "SET LOCAL ROLE longterm_app; SET LOCAL longterm.tenant_id = '{tenant_id}'"
_USER = "; SET LOCAL longterm.user_id = {user_id}"

# What is the same for everybody: set once for a connection of our own, and with each transaction
# on one that a pooler shares. Plans are made once for a connection: planning an append costs as
# much as the append, and the statements look up by key, so one plan fits all values.
_CONSTANT = (
    ("search_path", "longterm, public"),
    ("statement_timeout", "{timeout_ms}"),
    ("plan_cache_mode", "force_generic_plan"),
    # As disks are today. With the default of 4 the planner read a table of 100,000 vectors from
    # end to end for a user who has 1,000 of them, and not its index.
    ("random_page_cost", "1.1"),
    # Our statements are short: starting other processes for one takes 4 ms.
    ("max_parallel_workers_per_gather", "0"),
)

_UNFINISHED = (TransactionStatus.INTRANS, TransactionStatus.INERROR)

# Waiting helps against these: a lock, a time limit, too many clients, a deadlock.
_BUSY = {"40001", "40P01", "53300", "55P03", "57014"}


class Conn(Reads):
    """A transaction of one scope."""

    def __init__(self, raw: psycopg.AsyncConnection[Any], tenant_id: int | None) -> None:
        super().__init__(tenant_id)
        self.raw = raw

    async def run(self, query: LiteralString, /, **params: object) -> int:
        """Do it, and tell how many rows it touched."""
        return (await self._ask(tuple_row, query, params)).rowcount

    async def _ask(
        self, rows: AsyncRowFactory[Any], query: LiteralString, params: Params
    ) -> psycopg.AsyncCursor[Any]:
        cursor = self.raw.cursor(row_factory=rows)
        return await cursor.execute(query, self._with_tenant(params))


class Glance(Reads):
    """Statements that only read, each a transaction of its own: one round trip and not three."""

    def __init__(self, database: "Database", acting: str, tenant_id: int | None) -> None:
        super().__init__(tenant_id)
        self._database = database
        self._acting = acting

    async def _ask(
        self, rows: AsyncRowFactory[Any], query: LiteralString, params: Params
    ) -> psycopg.AsyncCursor[Any]:
        asked = query, self._with_tenant(params)
        return await self._database.read_once(self._acting, asked, rows)


class Database:
    """A pool of connections, handed out as transactions of one scope."""

    def __init__(
        self,
        conninfo: str,
        *,
        pool_size: int = 10,
        connect_timeout_s: float = 10,
        statement_timeout_s: float = 30,
        revive: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Nothing is opened yet; `revive` starts a server of our own again that is gone."""
        self._conninfo = conninfo
        self._revive = revive
        values = {"timeout_ms": int(statement_timeout_s * 1000)}
        self._settings = [(name, value.format(**values)) for name, value in _CONSTANT]
        self._constant = "".join(f"SET LOCAL {name} = {value}; " for name, value in self._settings)
        self._probing: asyncio.Task[None] | None = None
        self._watch = Watch(conninfo, self._found_gone)
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            conninfo,
            connection_class=Connection,
            min_size=1,
            max_size=pool_size,
            timeout=connect_timeout_s,
            # Given up soon, an attempt is made anew as soon as somebody asks for a connection.
            reconnect_timeout=_RECONNECT_S,
            kwargs={"autocommit": True},
            configure=self._configure,
            open=False,
            name="longterm",
        )

    async def open(self) -> None:
        """Connect; raises DatabaseGoneError when nobody answers."""
        await self._pool.open()
        try:
            await self._pool.wait(timeout=self._pool.timeout)
        except PoolTimeout as error:
            await self._pool.close()
            raise DatabaseGoneError from error

    async def close(self) -> None:
        """Give back every connection."""
        if self._probing is not None:
            self._probing.cancel()
        await self._watch.close()
        await self._pool.close()

    @property
    def is_gone(self) -> bool:
        """Whether the database did not answer when it was last asked."""
        return self._probing is not None

    def _found_gone(self) -> DatabaseGoneError:
        """Let everybody fail at once from here on, and somebody look when it is back."""
        if self._probing is None:
            self._probing = asyncio.create_task(self._probe())
        return DatabaseGoneError()

    async def _probe(self) -> None:
        try:
            while True:
                await asyncio.sleep(_PROBE_EVERY_S)
                # The pool pauses for longer and longer between its own attempts.
                if not await self.answers():
                    if self._revive is not None:
                        await self._revive()
                    continue
                try:
                    async with self._pool.connection(timeout=_PROBE_PATIENCE_S) as raw:
                        await raw.execute("SELECT 1")
                    await self._pool.check()
                except (psycopg.Error, PoolTimeout):
                    continue
                return
        finally:
            self._probing = None

    def tenant(self, scope: Scope) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction that sees what belongs to `scope`, and nothing else."""
        return self._transaction(_acting(scope), scope.tenant_id)

    def system(self) -> AbstractAsyncContextManager[Conn]:
        """Open a transaction over all tenants' jobs; it can't read what users said."""
        return self._transaction(_SYSTEM, None)

    def glance(self, scope: Scope | None) -> Glance:
        """Read what belongs to `scope`, or over all tenants, without a transaction around it."""
        if scope is None:
            return Glance(self, _SYSTEM, None)
        return Glance(self, _acting(scope), scope.tenant_id)

    async def read_once(self, acting: str, asked: Asked, rows: AsyncRowFactory[Any]) -> Cursor:
        """Ask one statement in a transaction of its own, for `Glance`."""

        async def read(raw: Connection) -> Cursor:
            try:
                return await self._read(raw, acting, asked, rows)
            except psycopg.errors.InvalidSqlStatementName:
                # After a rollback the driver throws away all that was prepared, and ours with it.
                raw.prepared.clear()
                await raw.rollback()
                return await self._read(raw, acting, asked, rows)

        raw, cursor = await self._connected(read)
        self._watch.end(raw)
        await self._pool.putconn(raw)
        return cursor

    async def _read(
        self, raw: Connection, acting: str, asked: Asked, rows: AsyncRowFactory[Any]
    ) -> Cursor:
        ticket = None if acting == _SYSTEM else tickets.unconfirmed()
        told = raw.told(*asked)
        key = None if ticket is None else raw.told(*_looked_up(ticket))
        looking = "" if key is None else f"; {_SYSTEM}; {key.text}"
        begun = f"BEGIN READ ONLY; {self._unsaid(raw)}{acting}; {told.text}{looking}; COMMIT"
        cursor = raw.cursor(row_factory=rows)
        await cursor.execute(begun.encode(), prepare=False)
        raw.know(told, key)
        # The last result is that of COMMIT.
        await cursor.set_result(-2)
        if ticket is None or key is None:
            return cursor
        ticket.settle(_id_told(cursor))
        return await cursor.set_result(-5 if key.is_new else -4)

    @asynccontextmanager
    async def _transaction(self, acting: str, tenant_id: int | None) -> AsyncGenerator[Conn]:
        async def begin(raw: Connection) -> Cursor:
            # As bytes, because the type checker takes only literals as text: the parts that vary
            # are an int and a text that is quoted.
            begun = f"BEGIN; {self._unsaid(raw)}{acting}"
            return await raw.execute(begun.encode(), prepare=False)

        if acting != _SYSTEM and (ticket := tickets.unconfirmed()) is not None:
            # Before anything is written.
            asked, params = _looked_up(ticket)
            ticket.settle(await self.glance(None).value(asked, **params))
        raw, _ = await self._connected(begin)
        try:
            yield Conn(raw, tenant_id)
            await raw.commit()
        except psycopg.Error as error:
            raise self._translated(error) from error
        finally:
            await self._put_back(raw)

    async def _connected(
        self, begin: Callable[[Connection], Awaitable[Cursor]]
    ) -> tuple[Connection, Cursor]:
        """Take a connection and begin; one that died while it lay idle is replaced."""
        if self.is_gone:
            raise DatabaseGoneError
        for attempt in range(self._pool.max_size + 1):
            try:
                raw = await self._pool.getconn()
            except PoolTimeout as error:
                raise await self._out_of_connections() from error
            self._watch.begin(raw)
            try:
                return raw, await begin(raw)
            except psycopg.Error as error:
                await self._put_back(raw)
                if not raw.broken or attempt == self._pool.max_size:
                    raise self._translated(error) from error
                if self.is_gone or not await self.answers():
                    raise self._found_gone() from error
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
        return self._constant if raw.prepare_threshold is None else ""

    async def _configure(self, raw: Connection) -> None:
        raw.adapters.register_loader("uuid", TextLoader)
        # Lasts for the session behind a pooler, too: pgbouncer keeps it for each of its clients.
        await raw.execute("SET timezone = 'UTC'")
        if await _is_pooled(raw):
            # pgbouncer before 1.21 loses prepared statements between transactions.
            raw.prepare_threshold = None
            return
        for name, value in self._settings:
            await raw.execute(f"SET {name} = {value}".encode())

    async def _out_of_connections(self) -> LongtermError:
        return DatabaseBusyError() if await self.answers() else self._found_gone()

    async def answers(self) -> bool:
        """Whether a new connection can be made; the pool would wait for one and not say."""
        try:
            raw = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_PROBE_PATIENCE_S
            )
        except psycopg.Error:
            return False
        await raw.close()
        return True

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        """Connect apart from the pool, for what lasts longer than a transaction."""
        async with await psycopg.AsyncConnection.connect(
            self._conninfo, autocommit=True, connect_timeout=_PROBE_PATIENCE_S
        ) as raw:
            if await _is_pooled(raw):
                raise psycopg.NotSupportedError("A pooler shares its connections.")
            yield raw

    def _translated(self, error: psycopg.Error) -> Exception:
        told = _translated(error)
        return self._found_gone() if isinstance(told, DatabaseGoneError) else told


def _looked_up(ticket: Ticket) -> Asked:
    return tickets.HOLDER, {"key_hash": ticket.key_hash}


def _id_told(cursor: Cursor) -> str | None:
    result = cursor.pgresult
    value = None if result is None or result.ntuples == 0 else result.get_value(0, 0)
    return None if value is None else bytes(value).decode()


def _acting(scope: Scope) -> str:
    acting = _TENANT.format(tenant_id=int(scope.tenant_id))
    if scope.user_id is not None:
        acting += _USER.format(user_id=sql.quote(scope.user_id))
    return acting


def identity(conninfo: str) -> str:
    """A short name of a database, without its password: what belongs to one goes to no other."""
    told = conninfo_to_dict(conninfo)
    named = [f"{key}={told[key]}" for key in ("host", "hostaddr", "port", "dbname") if key in told]
    return sha256(" ".join(named).encode()).hexdigest()[:16]


def _translated(error: psycopg.Error) -> Exception:
    code = error.sqlstate
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        # What row-level security answers to a write outside of its scope.
        return NotAllowedError()
    if isinstance(error, psycopg.errors.ForeignKeyViolation) and _lacks_user(error):
        # Forgotten while somebody wrote for them: the next attempt makes them anew.
        return DatabaseBusyError()
    if isinstance(error, psycopg.IntegrityError):
        # The checks of the code come first; this is the net beneath them.
        return ConflictError()
    if code in _BUSY:
        return DatabaseBusyError()
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and (
        code is None or code.startswith(("08", "57P"))
    ):
        return DatabaseGoneError()
    return error


def _lacks_user(error: psycopg.Error) -> bool:
    return (error.diag.constraint_name or "").endswith("_tenant_id_user_id_fkey")


async def _is_pooled(raw: psycopg.AsyncConnection[Any]) -> bool:
    # A pooler in between invents the process id that it tells the client at connect.
    cursor = await raw.execute("SELECT pg_backend_pid()")
    row: Sequence[int] | None = await cursor.fetchone()
    return row is None or row[0] != raw.info.backend_pid
