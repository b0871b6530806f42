"""Runs pgbouncer in transaction mode before a database."""

import os
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")

CONFIG = """
[databases]
pooled = host={host} port={port} dbname={dbname} user=postgres

[pgbouncer]
listen_addr =
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
unix_socket_dir = {folder}
logfile = {folder}/pgbouncer.log
"""


@contextmanager
def running(database: str) -> Generator[str]:
    """Start it, and lend a conninfo that leads through its two connections to `database`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        direct = conninfo_to_dict(database)
        config = folder / "pgbouncer.ini"
        values = {"host": direct["host"], "port": direct.get("port", 5432)}
        config.write_text(CONFIG.format(**values, dbname=direct["dbname"], folder=folder))
        process = subprocess.Popen([str(PGBOUNCER), "-q", *_user(folder), str(config)])
        try:
            # No port, which somebody else might take before it does.
            yield _when_ready(f"host={folder} port=6432 dbname=pooled user=postgres")
        finally:
            process.terminate()
            process.wait(60)


def _user(folder: Path) -> list[str]:
    """pgbouncer does not run as root; as root the embedded database is nobody's."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    return ["-u", "nobody"]


def _when_ready(conninfo: str) -> str:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(conninfo, connect_timeout=2).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return conninfo
