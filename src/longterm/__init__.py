"""Self-hosted memory for LLM chat, on one PostgreSQL."""

from typing import TYPE_CHECKING

from longterm.errors import (
    ClosedError,
    ConflictError,
    DatabaseBusyError,
    DatabaseGoneError,
    HaltedError,
    InvalidInputError,
    InvalidRoleError,
    LongtermError,
    MemoryNotFoundError,
    NotAllowedError,
    OutcomeUnknownError,
    SecretRefusedError,
    SetupError,
    TemplateError,
    UnavailableError,
)

if TYPE_CHECKING:
    from longterm.blocking import Longterm, Tenant
    from longterm.library import AsyncLongterm, AsyncTenant
    from longterm.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "AsyncLongterm",
    "AsyncTenant",
    "ClosedError",
    "ConflictError",
    "DatabaseBusyError",
    "DatabaseGoneError",
    "HaltedError",
    "InvalidInputError",
    "InvalidRoleError",
    "Longterm",
    "LongtermError",
    "MemoryNotFoundError",
    "NotAllowedError",
    "OutcomeUnknownError",
    "SecretRefusedError",
    "Settings",
    "SetupError",
    "TemplateError",
    "Tenant",
    "UnavailableError",
]

_HOMES = {
    "AsyncLongterm": "longterm.library",
    "AsyncTenant": "longterm.library",
    "Longterm": "longterm.blocking",
    "Tenant": "longterm.blocking",
    "Settings": "longterm.settings",
}


def __getattr__(name: str) -> object:
    # Loaded at first use: the database driver and the settings cost half a second of start-up
    # that `longterm --help` and an application that only catches our errors should not pay.
    if name not in _HOMES:
        raise AttributeError(f"module 'longterm' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    try:
        home = import_module(_HOMES[name])
    except ModuleNotFoundError as error:
        if error.name != _HOMES[name]:
            raise
        raise ImportError(
            f"{name} is in `longterm`; `longterm-client` has the client alone."
        ) from None
    return getattr(home, name)
