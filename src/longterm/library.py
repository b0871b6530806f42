"""The library: `AsyncLongterm`, for programs that run an event loop."""

from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from longterm.errors import InvalidInputError
from longterm.memory import inputs, installation
from longterm.memory.operations import Parts
from longterm.memory.retention import cleanup_all
from longterm.memory.tenant import AsyncTenant
from longterm.providers.embedder import Embedder
from longterm.providers.model import ChatModel
from longterm.records.job import Job, JobState
from longterm.records.report import CleanupResult
from longterm.records.scope import Scope
from longterm.records.tenant import TenantEntry
from longterm.runtime import Runtime
from longterm.settings import Settings
from longterm.store import jobs

__all__ = ["AsyncLongterm", "AsyncTenant"]

T = TypeVar("T")


class AsyncLongterm:
    """Memory for LLM chat, on the embedded database or on the PostgreSQL of `database_url`."""

    def __init__(
        self,
        database_url: str | None = None,
        *,
        data_dir: str | Path | None = None,
        llm: str | ChatModel | None = None,
        embedder: str | Embedder | None = None,
        settings: Settings | None = None,
    ) -> None:
        given = {
            "database_url": _checked(database_url, "database_url", str),
            "data_dir": None
            if data_dir is None
            else Path(_checked(data_dir, "data_dir", str, Path)),
            "llm": llm if isinstance(llm, str) else None,
            "embedder": embedder if isinstance(embedder, str) else None,
        }
        _check_methods(llm, "llm", "answer", "stream")
        _check_methods(embedder, "embedder", "embed")
        chosen = {key: value for key, value in given.items() if value is not None}
        self._settings = _checked(settings, "settings", Settings) or Settings()
        self._settings = self._settings.model_copy(update=chosen)
        if data_dir is not None and database_url is None:
            # A folder that is named in code comes before a database of the environment.
            self._settings = self._settings.model_copy(update={"database_url": None})
        self._runtime = Runtime(
            self._settings,
            llm=None if isinstance(llm, str) else llm,
            embedder=None if isinstance(embedder, str) else embedder,
        )

    def tenant(self, tenant_id: int | None, *, user_id: str | None = None) -> AsyncTenant:
        """Return the memory of a tenant; with `user_id`, only what is that user's.

        `None` is the system tenant.
        """
        fixed = None if user_id is None else inputs.user_id(user_id)
        return self._runtime.tenant(Scope(inputs.tenant_id(tenant_id), fixed))

    async def drain(self) -> int:
        """Run the background work that is due, and tell how many jobs that were."""
        return await self._runtime.worker().drain()

    async def cleanup(self) -> CleanupResult:
        """Delete what expired, for all tenants."""
        return await cleanup_all(self._runtime.parts)

    async def list_tenants(self) -> list[TenantEntry]:
        """Every tenant that has something, by number."""
        return await installation.list_tenants(self._runtime.parts)

    async def create_tenant(self, tenant_id: int | None = None) -> TenantEntry:
        """Make a tenant with this number, or with the smallest that is free."""
        return await installation.create_tenant(self._runtime.parts, tenant_id)

    async def list_jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        """Return jobs of all tenants; those with the state `dead` wait for `retry_jobs`."""
        async with self._runtime.parts.database.system() as conn:
            return await jobs.list_(conn, state=state, limit=inputs.limit(limit))

    async def retry_jobs(
        self, tenant_id: int | None = None, task: str | None = None, key: str | None = None
    ) -> int:
        """Queue dead jobs once more, all or those of a tenant, task or key."""
        async with self._runtime.parts.database.system() as conn:
            return await jobs.retry_dead(conn, tenant_id=tenant_id, task=task, key=key)

    @property
    def database_url(self) -> str:
        """The database it is connected to, the embedded one included; only while open."""
        return self._runtime.database_url

    @property
    def parts(self) -> Parts:
        """What operations work with; only while open."""
        return self._runtime.parts

    async def open(self) -> None:
        """Start or find the database; `async with` does this for you."""
        await self._runtime.open()

    async def close(self) -> None:
        """Give everything back; `async with` does this for you."""
        await self._runtime.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


def _checked(value: T, name: str, *kinds: type) -> T:
    if value is not None and not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidInputError(f"{name} must be a {wanted}, and is a {type(value).__name__}.")
    return value


def _check_methods(given: object, name: str, *methods: str) -> None:
    if given is None or isinstance(given, str):
        return
    if not all(callable(getattr(given, method, None)) for method in methods):
        needed = " and ".join(f"`{method}`" for method in methods)
        raise InvalidInputError(f"{name} must be a name, or an object with {needed}.")
