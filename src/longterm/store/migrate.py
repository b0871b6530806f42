"""Brings the schema up to date: numbered SQL files, each applied once, under a lock."""

import asyncio
import hashlib
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from longterm.errors import (
    DatabaseFullError,
    DatabaseGoneError,
    InvalidInputError,
    SetupError,
)
from longterm.postgres.refusals import LASTING, reason_of
from longterm.postgres.session import ENCODING, Session, check_encoding

OLDEST_POSTGRES = 15

# Any constant will do, as long as no other program on the database uses it.
_LOCK_KEY = 0x6C6F6E67

# An index of a large table takes as long as it takes.
_NO_LIMIT = 0

_PREPARE = """
    CREATE SCHEMA IF NOT EXISTS longterm;
    CREATE TABLE IF NOT EXISTS longterm.migrations (
        version    integer PRIMARY KEY,
        name       text NOT NULL,
        checksum   text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
    )
"""
_IS_PREPARED = "SELECT to_regclass('longterm.migrations') IS NOT NULL"
_APPLIED = "SELECT version, checksum FROM longterm.migrations ORDER BY version"
_RECORD = """
    INSERT INTO longterm.migrations (version, name, checksum)
    VALUES (%(version)s, %(name)s, %(checksum)s)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of `migrations/`, such as `0001_foundation.sql`."""

    version: int
    name: str
    body: bytes

    @property
    def checksum(self) -> str:
        """What tells that a released migration was edited."""
        return hashlib.sha256(self.body).hexdigest()


def migrations() -> list[Migration]:
    """Every migration of this version of Longterm, oldest first."""
    folder = files("longterm.store").joinpath("migrations")
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    made = [Migration(int(entry.name[:4]), entry.name[5:-4], entry.read_bytes()) for entry in found]
    return sorted(made, key=lambda migration: migration.version)


async def migrate(conninfo: str) -> list[str]:
    """Apply what is missing, and return the names; safe when several processes do it at once."""
    try:
        async with await psycopg.AsyncConnection.connect(
            conninfo, autocommit=True, client_encoding=ENCODING
        ) as conn:
            check_version(conn.info.server_version)
            check_encoding(conn)
            if not await pending(conn):
                return []
            session = Session(statement_timeout_s=_NO_LIMIT)
            await session.begin(conn, shared=True)
            await conn.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
            async with conn.transaction():
                await conn.execute("; ".join(session.local(conn)).encode())
                # A lock of the transaction and not of the session, which pgbouncer would mix up.
                await conn.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK_KEY])
                return await _apply(conn)
    except psycopg.errors.InsufficientPrivilege as error:
        raise SetupError(_no_rights(error)) from error
    except (psycopg.errors.UndefinedFile, psycopg.errors.FeatureNotSupported) as error:
        raise SetupError(NO_PGVECTOR) from error
    except psycopg.errors.DiskFull as error:
        raise DatabaseFullError from error
    except psycopg.OperationalError as error:
        if reason_of(error) in LASTING:
            raise SetupError(
                f"The database refuses the connection ({_first_line(error)}): correct "
                "DATABASE_URL, or what it names."
            ) from error
        raise DatabaseGoneError(f"The database does not answer: {_first_line(error)}") from error
    except (psycopg.ProgrammingError, UnicodeError) as error:
        if isinstance(error, psycopg.Error) and error.sqlstate is not None:
            raise
        raise InvalidInputError(
            f"DATABASE_URL is not the address of a database ({_first_line(error)}): "
            "write it as postgresql://user:password@host:5432/name."
        ) from error


NO_PGVECTOR = (
    "This PostgreSQL has no pgvector: install the package for its version "
    "(such as postgresql-16-pgvector) and start again."
)


def _no_rights(error: psycopg.Error) -> str:
    return (
        f"The database user may not do what Longterm needs ({_first_line(error)}): "
        "let an administrator run `longterm migrate` once; `longterm doctor` says what is missing."
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


def check_version(server_version: int) -> None:
    """Refuse a server that is too old; the number is as libpq tells it."""
    major = server_version // 10_000
    if major < OLDEST_POSTGRES:
        raise SetupError(f"This is PostgreSQL {major}; Longterm needs {OLDEST_POSTGRES} or newer.")


async def pending(conn: psycopg.AsyncConnection) -> list[Migration]:
    """The migrations that the database has not; SetupError when its history is not ours."""
    known = await asyncio.to_thread(migrations)
    cursor = await conn.execute(_IS_PREPARED)
    row = await cursor.fetchone()
    if row is None or not row[0]:
        return known
    cursor = await conn.execute(_APPLIED)
    applied: dict[int, str] = dict(await cursor.fetchall())
    _check_history(applied, {migration.version: migration for migration in known})
    return [migration for migration in known if migration.version not in applied]


def _check_history(applied: dict[int, str], known: dict[int, Migration]) -> None:
    for version, checksum in applied.items():
        if version not in known:
            raise SetupError(
                f"The database was set up by a newer Longterm (migration {version}); "
                "install that version or a newer one."
            )
        if known[version].checksum != checksum:
            raise SetupError(
                f"Migration {version} differs from the one that was applied; "
                "a migration is never edited after its release."
            )


async def _apply(conn: psycopg.AsyncConnection) -> list[str]:
    await conn.execute(_PREPARE)
    missing = await pending(conn)
    for migration in missing:
        await conn.execute("SET LOCAL search_path = longterm, public")
        await conn.execute(migration.body)
        await conn.execute(
            _RECORD,
            {
                "version": migration.version,
                "name": migration.name,
                "checksum": migration.checksum,
            },
        )
    return [migration.name for migration in missing]
