"""A process that uses the embedded server: the tests start, ask and kill it.

It says how to connect (or why not) in one line, leaves when its input ends, and says "left".
"""

import argparse
import os
import pwd
import sys
import time
from pathlib import Path

import psycopg

from longterm.errors import LongtermError
from longterm.store.binaries import Account, find, reachable
from longterm.store.embedded import EmbeddedPostgres


def main() -> None:
    asked = _arguments()
    programs = _become(asked.account) if asked.account else None
    postgres = EmbeddedPostgres(asked.data_dir, binaries=programs)
    try:
        conninfo = postgres.start()
    except LongtermError as error:
        _say(f"{type(error).__name__}: {error}".replace("\n", " "))
        return
    if asked.forget_in_child:
        _stop_in_a_forked_child(postgres)
    for _ in range(asked.rounds):
        _use_and_leave(postgres)
        conninfo = postgres.start()
    _say(conninfo)
    sys.stdin.read()
    postgres.stop()
    _say("left")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--account")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--forget-in-child", action="store_true")
    return parser.parse_args()


def _become(name: str) -> Path:
    """Go on as somebody else; returns programs that they can run, wherever our own lie."""
    entry = pwd.getpwnam(name)
    account = Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    programs = reachable(find(), account).folder
    os.setgroups([])
    os.setgid(account.gid)
    os.setuid(account.uid)
    return programs


def _stop_in_a_forked_child(postgres: EmbeddedPostgres) -> None:
    child = os.fork()
    if child == 0:
        postgres.stop()
        os._exit(0)
    os.waitpid(child, 0)


def _use_and_leave(postgres: EmbeddedPostgres) -> None:
    with psycopg.connect(postgres.start()) as conn:
        conn.execute("SELECT 1")
        # Processes with different pace meet in ever different places.
        time.sleep(os.getpid() % 7 / 1000)
    postgres.stop()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


main()
