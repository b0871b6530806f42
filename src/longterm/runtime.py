"""Puts the parts together: settings, database, operations, worker."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import SecretStr

from longterm.errors import ClosedError, ConflictError, SetupError, UnavailableError
from longterm.journal.group import AsyncJournal
from longterm.journal.journal import Journal
from longterm.memory import forgetting, said
from longterm.memory.aside import Aside
from longterm.memory.inputs import Limits
from longterm.memory.operations import Parts, Rules
from longterm.memory.outage import Outage
from longterm.memory.speakers import Speakers
from longterm.memory.template_renderer import TemplateRenderer
from longterm.memory.temporary import TemporaryTalks
from longterm.memory.tenant import AsyncTenant
from longterm.observe import tracing
from longterm.observe.log import get_logger
from longterm.observe.metrics import Metrics
from longterm.observe.tracing import Tracer
from longterm.postgres.pool import Database, identity
from longterm.providers import choose
from longterm.providers.breaker import Breaker
from longterm.providers.embedder import Embedder
from longterm.providers.embedders import Embedders
from longterm.providers.guard import CallReport, Guard, Guarded
from longterm.providers.model import ChatModel
from longterm.records.scope import Scope
from longterm.settings import Settings
from longterm.store.embedded import EmbeddedPostgres
from longterm.store.embedded_revival import Revival
from longterm.store.ending import ended
from longterm.store.migrate import migrate
from longterm.store.notices import Notices
from longterm.worker.lasting import LastingWorker
from longterm.worker.loop import Worker
from longterm.worker.tasks import all_tasks

# How long to wait before an embedded database that is busy or full is started once more.
_START_AGAIN_S = 2.0

_log = get_logger(__name__)


class Runtime:
    """A running Longterm: open it, use it, close it."""

    def __init__(
        self,
        settings: Settings,
        *,
        llm: ChatModel | None = None,
        embedder: Embedder | None = None,
        wait_for_database: bool = False,
    ) -> None:
        """With `wait_for_database`, it opens also while the database is away."""
        self.settings = settings
        self._waits = wait_for_database
        self._given = (llm, embedder)
        self.metrics = Metrics()
        self.tracer: Tracer = tracing.OFF
        self.wake = asyncio.Event()
        self.migrated: list[str] = []
        self._identity = ""
        self._refusal: asyncio.Future[SetupError] | None = None
        self._embedded: EmbeddedPostgres | None = None
        # In which loop of which process: connections are good for nothing in another.
        self._opened: tuple[asyncio.AbstractEventLoop, int] | None = None
        self._parts: Parts | None = None
        self._url = ""
        self._watching: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start or find the database, bring its schema up to date, and connect."""
        if self._opened is not None:
            raise ConflictError("This Longterm is open already: make another one, or close it.")
        self._opened = (asyncio.get_running_loop(), os.getpid())
        self.wake = asyncio.Event()
        try:
            await self._open()
        except BaseException:
            # Cancelled or failed, a server that was started for us must not stay behind.
            self._opened = None
            await self._end()
            raise

    async def _open(self) -> None:
        self.tracer = await asyncio.to_thread(tracing.choose)
        model, embedders = await asyncio.to_thread(self._models)
        conninfo = self._url = await self._conninfo()
        database = await self._database(conninfo)
        try:
            outage = await self._outage(database, conninfo)
        except BaseException:
            await database.close()
            raise
        self._parts = Parts(
            database=database,
            notices=Notices(database),
            metrics=self.metrics,
            tracer=self.tracer,
            rules=_rules(self.settings),
            wake_worker=self.wake.set,
            model=model,
            embedders=embedders,
            aside=Aside(),
            speakers=Speakers(),
            temporary=TemporaryTalks(),
            window=TemporaryTalks(),
            outage=outage,
            templates=TemplateRenderer(),
        )
        self._watching = asyncio.create_task(forgetting.watch(self._parts))

    async def _database(self, conninfo: str) -> Database:
        async def set_up() -> None:
            self.migrated = await migrate(conninfo)

        database = Database(
            conninfo,
            pool_size=self.settings.pool_size,
            connect_timeout_s=self.settings.connect_timeout_s,
            statement_timeout_s=self.settings.statement_timeout_s,
            revive=None if self._embedded is None else Revival(self._embedded.start).attempt,
            set_up=partial(self._set_up_late, set_up),
        )
        try:
            await set_up()
            await database.open()
        except UnavailableError as error:
            if not self._waits:
                raise
            _log.warning("database away; waiting for it", error=str(error))
            await database.open_later()
        return database

    async def _set_up_late(self, set_up: Callable[[], Awaitable[None]]) -> None:
        try:
            await set_up()
        except SetupError as error:
            refusal = self.refusal
            if not refusal.done():
                refusal.set_result(error)
            raise UnavailableError(str(error)) from error
        _log.info("database is there", migrated=len(self.migrated))

    @property
    def refusal(self) -> "asyncio.Future[SetupError]":
        """Done when the database that was waited for cannot be used as it is."""
        if self._refusal is None:
            self._refusal = asyncio.get_running_loop().create_future()
        return self._refusal

    async def run(self, work: "asyncio.Task[None]") -> None:
        """Wait for `work`; raises what makes the database unusable, if that comes first."""
        done, _ = await asyncio.wait({work, self.refusal}, return_when=asyncio.FIRST_COMPLETED)
        if work not in done:
            raise self.refusal.result()
        await work

    async def _outage(self, database: Database, conninfo: str) -> Outage:
        settings = self.settings
        self._identity = identity(conninfo)
        journal = Journal(
            self._journals / self._identity,
            max_bytes=settings.journal_max_bytes,
            max_records=settings.journal_max_records,
        )
        outage = Outage(
            database,
            AsyncJournal(journal),
            self.metrics,
            write=partial(said.write, database),
            wake_worker=self.wake.set,
        )
        await outage.open()
        return outage

    def _models(self) -> tuple[ChatModel | None, Embedders]:
        """Make what the settings name, or take what was given; reads files."""
        llm, embedder = self._given
        settings = self.settings
        model = choose.chat_model(
            llm or settings.llm,
            base_url=settings.llm_base_url,
            api_key=_key(settings.llm_api_key),
            output_mode=settings.llm_output,
            timeout_s=settings.llm_timeout_s,
        )
        guard = self._guard()
        embedders = Embedders(self._embedder(embedder or settings.embedder), self._embedder)
        return None if model is None else Guarded(model, guard), embedders

    def _embedder(self, name: str | Embedder | None) -> Embedder:
        settings = self.settings
        # What was set for one vendor is not meant for another.
        own = _vendor(name) == _vendor(settings.embedder)
        return choose.embedder(
            name,
            base_url=settings.embedder_base_url if own else None,
            api_key=_key(settings.embedder_api_key) if own else None,
            dimensions=settings.embedder_dimensions if name == settings.embedder else None,
            threads=settings.embedder_threads,
            guard=self._guard(),
        )

    def _guard(self) -> Guard:
        return Guard(
            timeout_s=self.settings.llm_timeout_s,
            on_call=self._count_call,
            breaker=Breaker(open_s=self.settings.llm_pause_s),
            tracer=self.tracer,
        )

    def _count_call(self, report: CallReport) -> None:
        labels = (report.model, report.purpose)
        self.metrics.model_seconds.labels(*labels, report.outcome).observe(report.seconds)
        self.metrics.model_tokens.labels(*labels, "prompt").inc(report.usage.prompt_tokens)
        self.metrics.model_tokens.labels(*labels, "answer").inc(report.usage.answer_tokens)

    async def close(self) -> None:
        """Disconnect, and stop the embedded database unless others use it."""
        if self._opened is None:
            return
        loop, process = self._opened
        is_own = process == os.getpid()
        if is_own and loop is not asyncio.get_running_loop() and not loop.is_closed():
            raise ClosedError("Close Longterm in the event loop that it was opened in.")
        parts, self._parts, self._opened = self._parts, None, None
        if not is_own:
            # A copy of a process that forked: everything is the other one's, and in use.
            self._embedded = None
        elif parts is not None and not loop.is_closed():
            await self._stop_watching()
            await _disconnect(parts)
        await self._end()

    async def _end(self) -> None:
        """Give back what is not bound to a loop."""
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.stop)
            self._embedded = None
        tracer, self.tracer = self.tracer, tracing.OFF
        await asyncio.to_thread(tracer.close)

    @property
    def parts(self) -> Parts:
        """What operations work with; only while open."""
        if self._parts is None:
            raise ClosedError
        return self._parts

    @property
    def database_url(self) -> str:
        """The database it is connected to, with its password; only while open."""
        if self._parts is None:
            raise ClosedError
        return self._url

    @property
    def folders(self) -> dict[str, Path]:
        """Where this process and its database write; the disk of another's database is not ours."""
        journal = {"journal": self._journals}
        if self.settings.database_url is not None:
            return journal
        return {"data": self.settings.data_dir, **journal}

    @property
    def known_keys(self) -> Path:
        """Where it is kept who used a key of this database."""
        return self._journals / self._identity / "known_keys.json"

    @property
    def _journals(self) -> Path:
        return self.settings.journal_dir or self.settings.data_dir / "journal"

    def tenant(self, scope: Scope) -> AsyncTenant:
        """Return the memory of one tenant, or of one user of it."""
        return AsyncTenant(self.parts, scope)

    def worker(self) -> Worker:
        """Make a worker for all tasks."""
        every = timedelta(hours=self.settings.cleanup_interval_hours)
        return Worker(
            self.parts,
            all_tasks(cleanup_every=every),
            wake=self.wake,
            concurrency=self.settings.worker_concurrency,
        )

    def lasting_worker(self) -> LastingWorker:
        """Make a worker that is started again when it ends on an error."""
        return LastingWorker(self.worker)

    async def _conninfo(self) -> str:
        if self.settings.database_url is not None:
            return self.settings.database_url
        self._embedded = EmbeddedPostgres(
            self.settings.data_dir, binaries=self.settings.postgres_bin
        )
        while True:
            try:
                return await asyncio.to_thread(self._embedded.start)
            except UnavailableError as error:
                if not self._waits:
                    raise
                _log.warning("embedded database not started yet", error=str(error))
                await asyncio.sleep(_START_AGAIN_S)

    async def _stop_watching(self) -> None:
        if self._watching is not None:
            await ended(self._watching)
            self._watching = None

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


async def _disconnect(parts: Parts) -> None:
    await parts.aside.finish()
    await parts.templates.close()
    await parts.notices.close()
    await parts.outage.close()
    await parts.database.close()
    await parts.embedders.close()
    if parts.model is not None:
        await parts.model.close()


def _rules(settings: Settings) -> Rules:
    return Rules(
        limits=Limits(message_bytes=settings.max_message_bytes, json_bytes=settings.max_json_bytes),
        history_limit=settings.conversation_history_limit,
        session_ttl_hours=settings.conversation_ttl_hours,
        memory_tokens=settings.memory_tokens,
        model_calls_per_day=settings.model_calls_per_day,
        model_tokens_per_day=settings.model_tokens_per_day,
        model_prices=settings.model_prices,
    )


def _vendor(name: str | Embedder | None) -> str | None:
    return name.partition(":")[0] if isinstance(name, str) else None


def _key(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
