"""Why a connection to PostgreSQL failed. libpq reports it by its text only."""

import re
from typing import Literal

import psycopg

Reason = Literal[
    "address",
    "host",
    "refused",
    "timeout",
    "password",
    "user",
    "database",
    "rules",
    "full",
    "other",
]

# Waiting does not help against these: somebody has to change a setting.
LASTING: tuple[Reason, ...] = ("password", "user", "database", "rules")

# The first that fits decides.
_REASONS: tuple[tuple[Reason, str], ...] = (
    ("password", r"password authentication failed|no password supplied"),
    ("user", r'role ".*" does not exist'),
    ("database", r'database ".*" does not exist'),
    ("rules", r"no pg_hba\.conf entry|does not support SSL|SSL (error|required)|certificate"),
    ("full", r"too many clients|too many connections|remaining connection slots"),
    ("host", r"resolve host|translate host name|Name or service not known"),
    ("timeout", r"time(d )?out"),
    ("refused", r"refused|No such file or directory|unreachable"),
)


def reason_of(error: psycopg.Error) -> Reason:
    """Tell by the text of an error why there is no connection."""
    for reason, pattern in _REASONS:
        if re.search(pattern, str(error), re.IGNORECASE):
            return reason
    return "other"
