"""The settings of a session of ours, whatever the server, the database or the role sets."""

import psycopg

from longterm.errors import SetupError

# Of the database, and of every connection. A connection names it in its start-up message, which
# overrides what the role or the database sets; poolers keep it for each client.
ENCODING = "UTF8"

# pgbouncer keeps these for each of its clients, so they are set once for any connection.
_FORMATS = (
    ("TimeZone", "'UTC'"),
    # The driver reads no other dates and intervals.
    ("DateStyle", "'ISO, MDY'"),
    ("IntervalStyle", "'postgres'"),
    ("standard_conforming_strings", "on"),
)

# Set once for a connection of our own, and with each transaction on one that a pooler shares.
_SETTINGS = (
    ("search_path", "longterm, public"),
    ("statement_timeout", "{timeout_ms}"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    # Plans are made once for a connection: planning an append costs as much as the append, and
    # the statements look up by key, so one plan fits all values.
    ("plan_cache_mode", "force_generic_plan"),
    # As disks are today. With the default of 4 the planner read a table of 100,000 vectors from
    # end to end for a user who has 1,000 of them, and not its index.
    ("random_page_cost", "1.1"),
    # Our statements are short: starting other processes for one takes 4 ms.
    ("max_parallel_workers_per_gather", "0"),
    # With `off`, a query that a policy would restrict is an error.
    ("row_security", "on"),
    ("bytea_output", "hex"),
    # Floats keep all their digits.
    ("extra_float_digits", "1"),
)
_SINCE_17 = ("transaction_timeout", "0")
# A pooler closes the idle connections of its own.
_OWN = ("idle_session_timeout", "0")

# In the statement, because SET LOCAL comes too late for the transaction that it stands in.
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"


class Session:
    """What a new connection, or a transaction on a shared one, is set to."""

    def __init__(self, *, statement_timeout_s: float) -> None:
        values = {"timeout_ms": int(statement_timeout_s * 1000)}
        self._settings = [(name, value.format(**values)) for name, value in _SETTINGS]
        self._local = [f"SET LOCAL {name} = {value}" for name, value in self._settings]
        self._local_since_17 = [*self._local, "SET LOCAL {} = {}".format(*_SINCE_17)]

    async def begin(self, raw: psycopg.AsyncConnection[object], *, shared: bool) -> None:
        """Set what a new connection keeps, in one round trip."""
        settings = [*_FORMATS]
        if not shared:
            settings += [*self._settings, _OWN]
            if raw.info.server_version >= 170_000:
                settings.append(_SINCE_17)
        await raw.execute("; ".join(f"SET {name} = {value}" for name, value in settings).encode())

    def local(self, raw: psycopg.AsyncConnection[object]) -> list[str]:
        """Return the statements at the beginning of each transaction on a shared connection."""
        return self._local_since_17 if raw.info.server_version >= 170_000 else self._local


def check_encoding(raw: psycopg.AsyncConnection[object]) -> None:
    """Refuse a database that cannot hold every text."""
    found = raw.info.parameter_status("server_encoding")
    if found != ENCODING:
        raise SetupError(
            f"The database {raw.info.dbname} has the encoding {found}, and Longterm needs "
            f"{ENCODING}: make another one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE "
            "template0`."
        )
