"""Operations for frameworks that call some methods with an event loop and some without."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from longterm.blocking import Tenant
from longterm.library import AsyncTenant

P = ParamSpec("P")
T = TypeVar("T")

AnyTenant = Tenant | AsyncTenant


class Calls:
    """The operations of a tenant, awaited or waited for.

    With a tenant of `Longterm` both work, in any event loop. With one of `AsyncLongterm`, which
    belongs to the loop that opened it, only `run` does.
    """

    def __init__(self, tenant: AnyTenant) -> None:
        self._loop = tenant.loop if isinstance(tenant, Tenant) else None
        self.tenant = tenant.inner if isinstance(tenant, Tenant) else tenant

    async def run(
        self, operation: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Await an operation."""
        if self._loop is None:
            return await operation(*args, **kwargs)
        return await asyncio.wrap_future(self._loop.start(operation(*args, **kwargs)))

    def wait(
        self, operation: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an operation and wait for it."""
        if self._loop is None:
            raise RuntimeError(
                "This method blocks: call its async twin, or give the adapter a tenant of "
                "`Longterm` and not of `AsyncLongterm`."
            )
        return self._loop.run(operation(*args, **kwargs))
