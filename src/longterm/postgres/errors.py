"""PostgreSQL's errors, translated into ours."""

import psycopg

from longterm.errors import (
    ConflictError,
    DatabaseBusyError,
    DatabaseFullError,
    DatabaseGoneError,
    NotAllowedError,
)

# Waiting helps: serialization failure, deadlock, lock or statement timeout. So does it where the
# server lacks a resource (53…), such as a free connection.
_BUSY = {"40001", "40P01", "55P03", "57014"}


def translate(error: psycopg.Error) -> Exception:
    """Return our error for one of PostgreSQL's; one that is a defect of ours stays as it is."""
    code = error.sqlstate
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        # Row-level security refuses a write outside of its scope with this error.
        return NotAllowedError()
    if isinstance(error, psycopg.errors.ForeignKeyViolation) and _lacks_user(error):
        # The user was forgotten during the write; the next attempt creates the row again.
        return DatabaseBusyError()
    if isinstance(error, psycopg.IntegrityError):
        # The operations check first; the constraints are the second line.
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
