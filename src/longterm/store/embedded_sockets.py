"""Where the embedded server is found: its socket, and what it answers there."""

import hashlib
import subprocess
import sys
from enum import Enum
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from longterm.store.binaries import Account

SUPERUSER = "postgres"
MAINTENANCE_DATABASE = "postgres"
PORT = 5432
# Fixed, not $TMPDIR: all processes must come to the same path, of at most 107 bytes.
SOCKETS = Path("/tmp")  # noqa: S108 (the folder below it is checked: see is_private)

_CONNECT_TIMEOUT_S = 5


class ServerState(Enum):
    """What a server answers to a new connection."""

    ACCEPTING = "accepts connections"
    RECOVERING = "is starting up or recovering"
    SHUTTING_DOWN = "is shutting down"
    SILENT = "does not answer"
    ABSENT = "does not listen"


# SQLSTATE 57P03 (cannot_connect_now) has several causes, told apart only by the text. Ours is in
# English: the server runs in the locale C.
_STATES = (
    ("the database system is shutting down", ServerState.SHUTTING_DOWN),
    ("the database system is ", ServerState.RECOVERING),
    # Any other refusal, such as "too many clients", comes from a server that works.
    ("FATAL:", ServerState.ACCEPTING),
    # The queue of a listener that accepts nothing is full.
    ("Resource temporarily unavailable", ServerState.SILENT),
    ("Connection refused", ServerState.ABSENT),
    ("No such file or directory", ServerState.ABSENT),
)


def conninfo(sockets: Path, database: str) -> str:
    """How to connect to a database of the server."""
    return make_conninfo(host=str(sockets), port=PORT, user=SUPERUSER, dbname=database)


def sockets(cluster: Path, account: Account) -> Path:
    """The folder of the server's socket."""
    # By inode, not by path: when a folder is deleted and made again, the old server must not be
    # taken for the new one.
    found = cluster.stat()
    name = hashlib.sha256(f"{found.st_dev}:{found.st_ino}".encode()).hexdigest()[:16]
    return SOCKETS / f"longterm-{account.uid}-{name}"


def probe(sockets: Path, account: Account) -> ServerState:
    """Connect, and tell what came of it."""
    if not account.is_private(sockets):
        return ServerState.ABSENT
    try:
        psycopg.connect(
            conninfo(sockets, MAINTENANCE_DATABASE), connect_timeout=_CONNECT_TIMEOUT_S
        ).close()
    except psycopg.errors.ConnectionTimeout:
        return ServerState.SILENT
    except psycopg.OperationalError as error:
        # A connection that ends without a word is one that a crash took along.
        found = (state for text, state in _STATES if text in str(error))
        return next(found, ServerState.RECOVERING)
    return ServerState.ACCEPTING


def works_in(pid: int, cluster: Path) -> bool:
    """Whether this process is the server of a cluster."""
    if sys.platform == "darwin":
        command = ["/bin/ps", "-p", str(pid), "-o", "comm="]
        found = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (a number)
        return b"postgres" in found.stdout
    try:
        return Path(f"/proc/{pid}/cwd").samefile(cluster)
    except OSError:
        return False
