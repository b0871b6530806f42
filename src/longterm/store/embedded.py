"""A PostgreSQL of our own: made when missing, shared by processes, stopped by the last of them.

Locks (`embedded_locks`) tell who uses the server and whether a process of it lives; a connection
tells what it does (`embedded_sockets.ServerState`). A server that starts up or recovers from a
crash is waited for, and never asked to shut down: PostgreSQL 18 may hang then. One that neither
serves nor ends is ended by signals, from the gentlest on.
"""

import errno
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from longterm.errors import DatabaseFullError, DatabaseGoneError, SetupError, UnavailableError
from longterm.observe.log import get_logger
from longterm.store import embedded_processes, embedded_sockets
from longterm.store.binaries import Binaries, account_for, find, reachable
from longterm.store.embedded_files import APPENDING, free_bytes, opened, tail_of, trim
from longterm.store.embedded_locks import Locks
from longterm.store.embedded_settings import INITDB, SETTINGS
from longterm.store.embedded_sockets import (
    MAINTENANCE_DATABASE,
    ServerState,
    probe,
    works_in,
)

DATABASE = "longterm"

START_PATIENCE_S = 60.0
# How long a server may stay in one state before it is ended or, while it recovers, before whoever
# waits is refused: it replays up to `max_wal_size`, and goes on after that.
PATIENCE_S = {
    ServerState.RECOVERING: START_PATIENCE_S,
    ServerState.SHUTTING_DOWN: 5.0,
    # A busy machine may answer late.
    ServerState.SILENT: 15.0,
    # Orphans of a killed server, or a server that does not listen yet.
    ServerState.ABSENT: 10.0,
}
# PostgreSQL calls the first one a fast shutdown, and the second one an immediate shutdown.
ENDING = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))
# The last checkpoint of a clean shutdown writes all of `shared_buffers`.
SHUTDOWN_PATIENCE_S = 30.0
# PostgreSQL needs room for a new segment of its log, of 16 MiB.
LEAST_FREE_BYTES = 32 * 1024 * 1024
# Each time the server forks a process, to refuse us.
POLL_S = 0.1

_log = get_logger(__name__)


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
            if self._server is not None and not self._server.is_current():
                self._server.leave()
                self._server = None
            if self._server is None:
                server = _Server(self._data_dir, find(self._binaries))
                server.join()
                self._server = server
            else:
                self._server.restore()
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
            found_state = probe(embedded_sockets.sockets(cluster, account), account)
            answering = found_state is ServerState.ACCEPTING
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
        self._held: os.stat_result | None = None
        self._launched = False
        self._locks = Locks(self._cluster)
        self._open_files = ExitStack()
        self._open_files.callback(self._locks.close)
        # A forked child inherits the open locks, but they are not its own; 0 is nobody's.
        self._holder = os.getpid()

    def conninfo(self, database: str) -> str:
        return embedded_sockets.conninfo(self._sockets, database)

    def is_current(self) -> bool:
        """Whether this hold is our own process's, on the cluster that is there now."""
        if self._holder != os.getpid() or self._held is None:
            return False
        try:
            return os.path.samestat(self._cluster.stat(), self._held)
        except FileNotFoundError:
            return False

    def join(self) -> None:
        try:
            with self._locks.gate():
                self._locks.count_in()
                if not self._cluster.exists():
                    self._make_cluster()
                # Kept open: the inode, which names the sockets, is not given away before the end.
                self._held = os.fstat(self._open_files.enter_context(opened(self._cluster)))
                self._sockets = embedded_sockets.sockets(self._cluster, self._account)
                self._bring_up()
                self._make_database()
        except BaseException as error:
            # A server that still replays its log must be left to finish.
            if self._launched and not isinstance(error, UnavailableError):
                self.leave()
            self.close()
            raise

    def restore(self) -> None:
        """Bring the server up again if it does not accept connections."""
        if probe(self._sockets, self._account) is not ServerState.ACCEPTING:
            with self._locks.gate():
                self._bring_up()
                self._make_database()

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
            with opened(self._cluster.parent) as parent:
                os.fsync(parent)

    def _bring_up(self) -> None:
        """Return once the server accepts connections: join it, start it, or end and start it."""
        self._launched = False
        state, since = None, 0.0
        while (found := probe(self._sockets, self._account)) is not ServerState.ACCEPTING:
            if found is not state:
                state, since = found, time.monotonic()
            with self._locks.server(POLL_S) as lock:
                if lock is not None and self._launched:
                    raise self._failure("PostgreSQL ended right after its start")
                if lock is not None:
                    self._launch(lock)
                    state = None
                    continue
            if found is ServerState.SILENT:
                self._signal(signal.SIGCONT)
            if time.monotonic() - since < PATIENCE_S[found]:
                continue
            if found is ServerState.RECOVERING:
                raise UnavailableError(
                    f"PostgreSQL in {self._cluster} {found.value}: try again shortly."
                )
            _log.warning("embedded server is ended", reason=found.value)
            if not self._end_server(found, ENDING):
                raise UnavailableError(
                    f"Processes of PostgreSQL in {self._cluster} do not end: end them by hand."
                )
            self._launched = False

    def _launch(self, lock: int) -> None:
        self._clear_stale()
        trim(self._log)
        self._account.make_private(self._sockets)
        settings = SETTINGS | {
            "unix_socket_directories": str(self._sockets),
            "cluster_name": self._sockets.name,
        }
        arguments = tuple(f"--{name}={value}" for name, value in settings.items())
        server = self._run(self._binaries.postgres, arguments, self._cluster, lock)
        self._launched = True
        # Somebody has to take note of its end, or it stays as a zombie.
        threading.Thread(target=server.wait, name="postgres-end", daemon=True).start()

    def _run(
        self, program: Path, arguments: tuple[str, ...], cluster: Path, lock: int
    ) -> subprocess.Popen[bytes]:
        runnable = reachable(self._binaries, self._account).folder / "bin" / program.name
        with opened(self._log, APPENDING) as log:
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
        deadline = time.monotonic() + SHUTDOWN_PATIENCE_S
        while (found := probe(self._sockets, self._account)) is ServerState.RECOVERING:
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_S)
        fast, *rest = ENDING
        if not self._end_server(found, ((fast[0], SHUTDOWN_PATIENCE_S), *rest)):
            _log.error("embedded server does not end", cluster=str(self._cluster))

    def _end_server(
        self, found: ServerState, steps: Sequence[tuple[signal.Signals, float]]
    ) -> bool:
        """Send one signal after the other until no process of the server is left."""
        if found not in (ServerState.ACCEPTING, ServerState.SHUTTING_DOWN):
            # A fast shutdown may hang; after an immediate one the next start replays the log.
            steps = steps[1:]
        for number, patience_s in steps:
            if self._locks.is_server_gone(0):
                break
            self._signal(number)
            if self._locks.is_server_gone(patience_s):
                break
        else:
            return False
        shutil.rmtree(self._sockets, ignore_errors=True)
        return True

    def _signal(self, number: signal.Signals) -> None:
        embedded_processes.send(number, self._sockets.name, uid=self._account.uid)

    def _noted_pid(self) -> int | None:
        """Read postmaster.pid, and believe it if that process works in this cluster."""
        try:
            pid = int((self._cluster / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return pid if works_in(pid, self._cluster) else None

    def _failure(self, what: str) -> SetupError | DatabaseFullError:
        tail = tail_of(self._log)
        # The log is on the same disk, and may lack its last lines.
        if os.strerror(errno.ENOSPC) in tail or free_bytes(self._log.parent) < LEAST_FREE_BYTES:
            return DatabaseFullError()
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
    except psycopg.errors.DiskFull as error:
        raise DatabaseFullError from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DatabaseFullError from error
        raise SetupError(
            f"PostgreSQL cannot be set up in {data_dir} ({error}): mend that, or choose another "
            "folder with --data-dir."
        ) from error
    except psycopg.Error as error:
        raise DatabaseGoneError(f"PostgreSQL in {data_dir} went away again: {error}") from error
