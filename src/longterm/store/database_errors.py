"""Errors of PostgreSQL as errors of ours."""

import psycopg

from longterm.errors import (
    ConflictError,
    DatabaseBusyError,
    DatabaseFullError,
    DatabaseGoneError,
    NotAllowedError,
)

# Waiting helps against these: a lock, a time limit, a deadlock; and too little of anything (53…).
_BUSY = {"40001", "40P01", "55P03", "57014"}


def translate(error: psycopg.Error) -> Exception:
    """Return our error for one of PostgreSQL, or the same one where it is a defect."""
    code = error.sqlstate
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        # What row-level security answers to a write outside of its scope.
        return NotAllowedError()
    if isinstance(error, psycopg.errors.ForeignKeyViolation) and _lacks_user(error):
        # Forgotten while somebody wrote for them: the next attempt makes them anew.
        return DatabaseBusyError()
    if isinstance(error, psycopg.IntegrityError):
        # The checks of the code come first; this is the net beneath them.
        return ConflictError()
    if isinstance(error, psycopg.errors.DiskFull):
        return DatabaseFullError()
    if code in _BUSY or (code or "").startswith("53"):
        return DatabaseBusyError()
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and (
        code is None or code.startswith(("08", "57P"))
    ):
        return DatabaseGoneError()
    return error


def _lacks_user(error: psycopg.Error) -> bool:
    return (error.diag.constraint_name or "").endswith("_tenant_id_user_id_fkey")
