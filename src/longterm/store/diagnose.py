"""What can be told about a database without changing it."""

import time
from dataclasses import dataclass, replace

import psycopg
from psycopg.conninfo import conninfo_to_dict

from longterm.errors import SetupError
from longterm.postgres.pool import is_pooled
from longterm.postgres.refusals import Reason, reason_of
from longterm.postgres.session import ENCODING
from longterm.postgres.transaction import Conn, Connection
from longterm.store import jobs, keys, migrate

STATUS = """
    SELECT current_setting('server_version') AS version,
           (SELECT count(*) FROM tenants) AS tenants,
           (SELECT max(version) FROM migrations) AS migration
"""

# From the catalogue, which everybody may read: asking for the table itself needs rights on it.
RIGHTS = """
    SELECT current_user::text AS user_name,
           current_database()::text AS database_name,
           role.rolsuper AS is_superuser,
           role.rolcreaterole AS may_make_roles,
           has_database_privilege(current_database(), 'CREATE') AS may_create,
           (SELECT extversion
              FROM pg_extension
             WHERE extname = 'vector') AS vector_installed,
           (SELECT default_version
              FROM pg_available_extensions
             WHERE name = 'vector') AS vector_available,
           EXISTS (SELECT
                     FROM pg_available_extension_versions
                    WHERE name = 'vector'
                      AND trusted) AS vector_trusted,
           ledger.oid IS NOT NULL AS is_set_up,
           coalesce(has_schema_privilege(space.oid, 'USAGE')
                    AND has_table_privilege(ledger.oid, 'SELECT'), false) AS may_read
      FROM pg_roles AS role
      LEFT JOIN pg_namespace AS space ON space.nspname = 'longterm'
      LEFT JOIN pg_class AS ledger ON ledger.relnamespace = space.oid
                                  AND ledger.relname = 'migrations'
     WHERE role.rolname = current_user
"""

READ_ONLY = "SELECT current_setting('transaction_read_only') = 'on'"

CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"

ROLES = """
    SELECT rolname AS name,
           pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION') AS may_grant
      FROM pg_roles
     WHERE rolname IN ('longterm_app', 'longterm_system')
     ORDER BY rolname
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a database in use is doing."""

    version: str
    tenants: int
    migration: int
    jobs: dict[str, int]
    lag_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _StatusRow:
    version: str
    tenants: int
    migration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """Who we are in a database, what we may do there, and what is there."""

    user_name: str
    database_name: str
    is_superuser: bool
    may_make_roles: bool
    may_create: bool
    vector_installed: str | None
    vector_available: str | None
    vector_trusted: bool
    is_set_up: bool
    may_read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _RoleRow:
    name: str
    may_grant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One of the two roles that Longterm works as."""

    name: str
    may_grant: bool
    may_become: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that `longterm doctor` asks a database."""

    where: str
    server_version: int
    rights: Rights
    roles: tuple[Role, ...]
    pending: tuple[str, ...]
    history_problem: str | None
    dead_jobs: int | None
    encoding: str = ENCODING
    is_pooled: bool = False
    is_read_only: bool = False
    # Positive: the database's clock is ahead of ours.
    clock_ahead_s: float = 0.0
    # Of what we may not look at: None.
    oldest_due_s: float | None = None
    has_keys: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no connection, in our words and in the database's."""

    where: str
    reason: Reason
    said: str


async def status(conn: Conn) -> Status:
    """Tell how the database is doing; for a system transaction."""
    (row,) = await conn.all(_StatusRow, STATUS)
    return Status(
        version=row.version.split()[0],
        tenants=row.tenants,
        migration=row.migration,
        jobs=await jobs.depth(conn),
        lag_s=await jobs.lag_s(conn),
    )


def place(conninfo: str) -> str:
    """Name a database without its password."""
    try:
        parts = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        return "an address that cannot be read"
    host = parts.get("host") or parts.get("hostaddr") or "the local socket"
    port = parts.get("port") or 5432
    database = parts.get("dbname") or parts.get("user") or "its default database"
    user = f" as {parts['user']}" if parts.get("user") else ""
    return f"{database} on {host}, port {port}{user}"


async def examine(conninfo: str, *, timeout_s: float) -> Findings | Refusal:
    """Ask a database everything, and change nothing."""
    try:
        conn = await Connection.connect(
            conninfo, connect_timeout=max(2, round(timeout_s)), client_encoding=ENCODING
        )
    except (psycopg.ProgrammingError, UnicodeError) as error:
        return Refusal(where=place(conninfo), reason="address", said=_text(error))
    except psycopg.OperationalError as error:
        return Refusal(where=place(conninfo), reason=reason_of(error), said=_text(error))
    async with conn:
        # Before anything else: whoever reads is in a transaction that is read-only by our own wish.
        is_read_only = await Conn(conn, None).value(READ_ONLY)
        await conn.rollback()
        await conn.set_read_only(True)
        found = await _ask(Conn(conn, None), place(conninfo))
        return replace(found, is_read_only=is_read_only, clock_ahead_s=await _clock_ahead_s(conn))


async def _ask(conn: Conn, where: str) -> Findings:
    (rights,) = await conn.all(Rights, RIGHTS)
    pending, history_problem = await _history(conn) if rights.may_read else ((), None)
    roles = [
        Role(name=row.name, may_grant=row.may_grant, may_become=await _may_become(conn, row.name))
        for row in await conn.all(_RoleRow, ROLES)
    ]
    usable = rights.is_set_up and all(role.may_become for role in roles)
    queue = await _queue(conn) if usable else _Queue()
    return Findings(
        where=where,
        server_version=conn.raw.info.server_version,
        rights=rights,
        roles=tuple(roles),
        pending=pending,
        history_problem=history_problem,
        dead_jobs=queue.dead_jobs,
        encoding=conn.raw.info.parameter_status("server_encoding") or "unknown",
        is_pooled=await is_pooled(conn.raw),
        oldest_due_s=queue.oldest_due_s,
        has_keys=queue.has_keys,
    )


async def _history(conn: Conn) -> tuple[tuple[str, ...], str | None]:
    try:
        missing = await migrate.pending(conn.raw)
    except SetupError as error:
        return (), str(error)
    return tuple(f"{each.version:04} {each.name}" for each in missing), None


async def _may_become(conn: Conn, role: str) -> bool:
    # By trying: what being a member allows differs between the versions of PostgreSQL.
    try:
        async with conn.raw.transaction(force_rollback=True):
            await conn.run("SELECT set_config('role', %(role)s, true)", role=role)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    dead_jobs: int | None = None
    oldest_due_s: float | None = None
    has_keys: bool | None = None


async def _queue(conn: Conn) -> _Queue:
    try:
        async with conn.raw.transaction(force_rollback=True):
            await conn.run("SET LOCAL search_path = longterm")
            await conn.run("SET LOCAL ROLE longterm_system")
            depth = await jobs.depth(conn)
            return _Queue(
                dead_jobs=depth.get("dead", 0),
                oldest_due_s=await jobs.lag_s(conn),
                has_keys=await keys.exist(conn),
            )
    except psycopg.ProgrammingError:
        # The tables are not there yet, or not ours: the other checks say so.
        return _Queue()


async def _clock_ahead_s(conn: Connection) -> float:
    before = time.time()
    theirs = await Conn(conn, None).value(CLOCK)
    return theirs - (before + time.time()) / 2


def _text(error: Exception) -> str:
    return " ".join(str(error).split())
