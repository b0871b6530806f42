"""Of two who wait for each other PostgreSQL ends one: that one tries again."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from longterm.errors import DatabaseBusyError

T = TypeVar("T")

_TRIES = 5


async def patiently(attempt: Callable[[], Awaitable[T]]) -> T:
    """Do something that is one transaction, again where others were in its way."""
    for _ in range(_TRIES - 1):
        try:
            return await attempt()
        except DatabaseBusyError:
            continue
    return await attempt()
