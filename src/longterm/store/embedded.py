"""A PostgreSQL of our own: made when missing, shared by processes, stopped by the last of them.

Who uses it and whether it lives is told by locks (`embedded_locks`) and by connecting to it,
never by a process id: after a kill -9 or in a new container that number belongs to somebody else.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from longterm.errors import DatabaseGoneError, SetupError, UnavailableError
from longterm.store import embedded_sockets
from longterm.store.binaries import Binaries, account_for, find, reachable
from longterm.store.embedded_locks import Locks
from longterm.store.embedded_sockets import (
    MAINTENANCE_DATABASE,
    PORT,
    SUPERUSER,
    listener,
    refusal,
    works_in,
)

DATABASE = "longterm"

# An old server may have to finish its last checkpoint, or replay up to `max_wal_size` after a crash.
START_PATIENCE_S = 60.0
POLL_S = 0.03
LOG_LIMIT = 4_000_000
LOG_KEPT = 1_000_000
LOG_TAIL = 200_000
LOGGING = os.O_WRONLY | os.O_APPEND | os.O_CREAT

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    # A young table has no statistics, and plans without them are bad: not for a whole minute.
    "autovacuum_naptime": "10s",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "10min",
    "wal_compression": "on",
    "autovacuum_vacuum_insert_scale_factor": "0.02",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    # Statements and details of an error would carry what users wrote into the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
INITDB = (
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--encoding=UTF8",
    f"--username={SUPERUSER}",
    "--auth=trust",
    "--no-instructions",
)


class EmbeddedPostgres:
    """One share in the PostgreSQL server of a data folder."""

    def __init__(self, data_dir: Path, *, binaries: Path | None = None) -> None:
        self._data_dir = data_dir.absolute()
        self._binaries = binaries
        self._mutex = threading.Lock()
        self._server: _Server | None = None

    def start(self) -> str:
        """Start the server or join it; returns how to connect."""
        with self._mutex, _explained(self._data_dir):
            if self._server is None or not self._server.is_held():
                if self._server is not None:
                    self._server.leave()
                self._server = _Server(self._data_dir, find(self._binaries))
                self._server.join()
            return self._server.conninfo(DATABASE)

    def stop(self) -> None:
        """Give up the share; the last one stops the server."""
        with self._mutex:
            server, self._server = self._server, None
            if server is not None:
                server.leave()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStatus:
    """What can be told without starting anything."""

    data_dir: Path
    binaries: Binaries | None
    cluster: Path | None
    writable: bool
    answers: bool
    problem: str | None


def inspect(data_dir: Path, *, binaries: Path | None = None) -> EmbeddedStatus:
    """Look at the embedded server of `data_dir`, for `longterm doctor`."""
    data_dir = data_dir.absolute()
    found = cluster = problem = None
    writable = answering = False
    try:
        writable = _is_writable(data_dir)
        found = find(binaries)
        account = account_for(data_dir / f"postgres-{found.major}", data_dir)
        if (data_dir / f"postgres-{found.major}").exists():
            cluster = data_dir / f"postgres-{found.major}"
            answering = refusal(embedded_sockets.sockets(cluster, account), account) is None
    except (SetupError, OSError) as error:
        problem = str(error)
    return EmbeddedStatus(
        data_dir=data_dir,
        binaries=found,
        cluster=cluster,
        writable=writable,
        answers=answering,
        problem=problem,
    )


def _is_writable(folder: Path) -> bool:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(nearest, os.W_OK | os.X_OK)


class _Server:
    """The hold of one `EmbeddedPostgres` on the server: open locks, and where things are."""

    def __init__(self, data_dir: Path, binaries: Binaries) -> None:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._binaries = binaries
        self._cluster = data_dir / f"postgres-{binaries.major}"
        self._log = data_dir / "postgres.log"
        self._account = account_for(self._cluster, data_dir)
        self._sockets = Path()
        self._launched = False
        self._locks = Locks(self._cluster)
        self._open_files = ExitStack()
        self._open_files.callback(self._locks.close)
        # A forked child inherits the open locks, but they are not its own; 0 is nobody's.
        self._holder = os.getpid()

    def conninfo(self, database: str) -> str:
        return embedded_sockets.conninfo(self._sockets, database)

    def is_held(self) -> bool:
        return self._holder == os.getpid() and refusal(self._sockets, self._account) is None

    def join(self) -> None:
        try:
            with self._locks.gate():
                self._locks.count_in()
                _trim(self._log)
                if not self._cluster.exists():
                    self._make_cluster()
                # Kept open: the inode, which names the sockets, is not given away before the end.
                self._open_files.enter_context(_opened(self._cluster))
                self._sockets = embedded_sockets.sockets(self._cluster, self._account)
                self._bring_up()
                self._make_database()
        except BaseException as error:
            # A server that still replays its log must be left to finish.
            if self._launched and not isinstance(error, UnavailableError):
                self.leave()
            self.close()
            raise

    def leave(self) -> None:
        if self._holder != os.getpid():
            return
        try:
            with self._locks.gate():
                if self._locks.count_out():
                    self._shut_down()
        finally:
            self.close()

    def close(self) -> None:
        if self._holder == os.getpid():
            self._holder = 0
            self._open_files.close()

    def _make_cluster(self) -> None:
        # A killed parent may have left an initdb that still writes into the unfinished folder.
        with self._locks.server(START_PATIENCE_S) as lock:
            if lock is None:
                raise UnavailableError(f"Another program is at work in {self._cluster.parent}.")
            unfinished = self._cluster.with_name(f"{self._cluster.name}.unfinished")
            if unfinished.exists():
                shutil.rmtree(unfinished)
            self._account.make_private(unfinished)
            if self._run(self._binaries.initdb, INITDB, unfinished, lock).wait() != 0:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise self._failure("initdb could not make a database")
            unfinished.rename(self._cluster)
            with _opened(self._cluster.parent) as parent:
                os.fsync(parent)

    def _bring_up(self) -> None:
        deadline = time.monotonic() + START_PATIENCE_S
        while reason := refusal(self._sockets, self._account):
            with self._locks.server(POLL_S) as lock:
                if lock is not None and self._launched:
                    raise self._failure("PostgreSQL ended right after its start")
                if lock is not None:
                    self._launch(lock)
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"PostgreSQL in {self._cluster} is at work, but lets nobody in ({reason}): "
                    "try again shortly, or end its processes."
                )

    def _launch(self, lock: int) -> None:
        self._clear_stale()
        self._account.make_private(self._sockets)
        settings = SETTINGS | {"unix_socket_directories": str(self._sockets)}
        arguments = tuple(f"--{name}={value}" for name, value in settings.items())
        server = self._run(self._binaries.postgres, arguments, self._cluster, lock)
        self._launched = True
        # Somebody has to take note of its end, or it stays as a zombie.
        threading.Thread(target=server.wait, name="postgres-end", daemon=True).start()

    def _run(
        self, program: Path, arguments: tuple[str, ...], cluster: Path, lock: int
    ) -> subprocess.Popen[bytes]:
        runnable = reachable(self._binaries, self._account).folder / "bin" / program.name
        with _opened(self._log, LOGGING) as log:
            command = (runnable, *arguments)
            return self._account.popen_in(cluster, command, output=log, keep=lock)

    def _clear_stale(self) -> None:
        """Remove what a killed server left; the lock says that it is gone."""
        if pid := self._noted_pid():
            raise SetupError(
                f"Another PostgreSQL (process {pid}) already runs in {self._cluster}: stop it."
            )
        (self._cluster / "postmaster.pid").unlink(missing_ok=True)
        # PostgreSQL believes the process id in a socket's lock file, too.
        shutil.rmtree(self._sockets, ignore_errors=True)

    def _make_database(self) -> None:
        with psycopg.connect(self.conninfo(MAINTENANCE_DATABASE), autocommit=True) as conn:
            known = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if known.fetchone() is None:
                conn.execute(f"CREATE DATABASE {DATABASE}")

    def _shut_down(self) -> None:
        # PostgreSQL calls the first one fast, and the second one immediate.
        for number, patience_s in ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0)):
            if pid := self._server_pid():
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            if self._locks.is_server_gone(patience_s if pid else 0):
                shutil.rmtree(self._sockets, ignore_errors=True)
                return

    def _server_pid(self) -> int | None:
        # Checked again: a folder that was cleaned away from /tmp may be somebody else's by now.
        heard = listener(self._sockets) if self._account.is_private(self._sockets) else None
        return heard or self._noted_pid()

    def _noted_pid(self) -> int | None:
        """Read postmaster.pid, and believe it if that process works in this cluster."""
        try:
            pid = int((self._cluster / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return pid if works_in(pid, self._cluster) else None

    def _failure(self, what: str) -> SetupError:
        tail = _tail(self._log)
        return SetupError(
            f"{what} in {self._cluster.parent}; mend what its log says and start again:\n{tail}"
        )


@contextmanager
def _explained(data_dir: Path) -> Generator[None]:
    """Say what to do about an error of the system."""
    try:
        yield
    except PermissionError as error:
        raise SetupError(
            f"The data folder {data_dir} cannot be used by this user ({error}): give it to the "
            "user with `chown -R`, or choose another one with --data-dir."
        ) from error
    except (OSError, psycopg.errors.DiskFull) as error:
        raise SetupError(
            f"PostgreSQL cannot be set up in {data_dir} ({error}): mend that, or choose another "
            "folder with --data-dir."
        ) from error
    except psycopg.Error as error:
        raise DatabaseGoneError(f"PostgreSQL in {data_dir} went away again: {error}") from error


@contextmanager
def _opened(path: Path, flags: int = os.O_RDONLY) -> Generator[int]:
    fd = os.open(path, flags | os.O_NOFOLLOW, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)


def _trim(log: Path) -> None:
    if not log.exists() or log.stat().st_size <= LOG_LIMIT:
        return
    with _opened(log) as old:
        os.lseek(old, -LOG_KEPT, os.SEEK_END)
        kept = os.read(old, LOG_KEPT)
    with _opened(log, os.O_WRONLY | os.O_APPEND | os.O_TRUNC) as new:
        os.write(new, kept)


def _tail(log: Path) -> str:
    with _opened(log) as fd:
        os.lseek(fd, max(0, os.fstat(fd).st_size - LOG_TAIL), os.SEEK_SET)
        lines = os.read(fd, LOG_TAIL).decode(errors="replace").splitlines()
    # Each time that we ask during a recovery, it says so.
    return "\n".join([line for line in lines if "is starting up" not in line][-8:])
