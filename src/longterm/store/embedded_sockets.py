"""Where the embedded server is found: its socket, and the process behind it."""

import hashlib
import socket
import struct
import subprocess
import sys
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from longterm.store.binaries import Account

SUPERUSER = "postgres"
MAINTENANCE_DATABASE = "postgres"
PORT = 5432
# Fixed, not $TMPDIR: all processes must come to the same path, of at most 107 bytes.
SOCKETS = Path("/tmp")  # noqa: S108 (the folder below it is checked: see is_private)


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


def refusal(sockets: Path, account: Account) -> str | None:
    """Why no connection succeeds; None if one does, which alone means that the server lives."""
    if not account.is_private(sockets):
        return f"there is no socket in {sockets}"
    try:
        psycopg.connect(conninfo(sockets, MAINTENANCE_DATABASE), connect_timeout=5).close()
    except psycopg.OperationalError as error:
        return str(error)
    return None


def listener(sockets: Path) -> int | None:
    """Ask the kernel for the process behind the socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(sockets / f".s.PGSQL.{PORT}"))
        except OSError:
            return None
        if sys.platform == "darwin":
            sol_local, local_peerpid = 0, 2
            return client.getsockopt(sol_local, local_peerpid)
        peer = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        # 0 stands for a process of another container, and would mean our own group to `kill`.
        return struct.unpack("3i", peer)[0] or None


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
