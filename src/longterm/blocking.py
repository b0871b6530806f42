"""The library without an event loop: `Longterm`, the same methods, each waits for its result."""

import asyncio
import atexit
import functools
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from longterm.errors import ClosedError, ConflictError, LongtermError
from longterm.library import AsyncLongterm, AsyncTenant
from longterm.memory.tool import SchemaForm
from longterm.providers.embedder import Embedder
from longterm.providers.model import ChatModel
from longterm.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")

_FORKED = "This Longterm was opened before the process forked: open another one in this process."
_ENDING = "Python is ending, and with it Longterm: finish with it before."
_WOULD_WAIT = (
    "This call would wait for itself: inside a model or embedder of your own, use `AsyncLongterm`."
)


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._executor = _Executor(thread_name_prefix="longterm")
        self._loop.set_default_executor(self._executor)
        self._thread = threading.Thread(target=self._loop.run_forever, name="longterm", daemon=True)
        self._thread.start()
        self._is_closed = False
        self._lock = threading.Lock()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            return self.start(coroutine).result()
        except CancelledError as error:
            # It was closed meanwhile.
            raise ClosedError from error
        except RuntimeError as error:
            if threading.main_thread().is_alive():
                raise
            # In a function of `atexit`, where no thread takes work any more.
            raise ClosedError(_ENDING) from error

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        try:
            self._check()
            with self._lock:
                if self._is_closed:
                    raise ClosedError
                return asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except LongtermError:
            # Or Python warns that nobody awaited it.
            coroutine.close()
            raise

    @property
    def is_of_parent(self) -> bool:
        """Whether this process is a copy of the one in which the loop runs."""
        return self._process != os.getpid()

    def _check(self) -> None:
        if self.is_of_parent:
            raise ClosedError(_FORKED)
        if threading.current_thread() is self._thread:
            raise LongtermError(_WOULD_WAIT)

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        asyncio.run_coroutine_threadsafe(_end_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._executor.shutdown()
        self._loop.close()


class _Executor(ThreadPoolExecutor):
    """Threads for what blocks; at the end of the interpreter, when there are none, no thread."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run it in a thread, or here and now: `atexit` may close us, or use us a last time."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            done: Future[T] = Future()
            try:
                done.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001
                # As a thread does: whoever waits for the result gets it.
                done.set_exception(error)
            return done


class _HasAsync(Protocol):
    @property
    def loop(self) -> _Loop: ...
    @property
    def inner(self) -> Any: ...


class _Blocking(Generic[P, T]):
    """A method that runs the async one of the same name and waits for it."""

    def __init__(self, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, owner: _HasAsync, kind: type) -> Callable[P, T]:
        @functools.wraps(self._method)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return owner.loop.run(self._method(owner.inner, *args, **kwargs))

        return call


class _BlockingStream(Generic[P, T]):
    """A method that yields what the async one of the same name yields."""

    def __init__(self, method: Callable[Concatenate[Any, P], AsyncGenerator[T]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, owner: _HasAsync, kind: type) -> Callable[P, Iterator[T]]:
        @functools.wraps(self._method)
        def call(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            items = _Items(self._method(owner.inner, *args, **kwargs))
            try:
                while True:
                    try:
                        yield owner.loop.run(items.next())
                    except StopAsyncIteration:
                        return
            finally:
                # Closed meanwhile, and the items with it.
                with suppress(ClosedError):
                    owner.loop.run(items.close())

        return call


class _Items(Generic[T]):
    """What an async generator yields, one by one; may be closed while the next is waited for."""

    def __init__(self, items: AsyncGenerator[T]) -> None:
        self._items = items
        self._coming: asyncio.Task[Any] | None = None

    async def next(self) -> T:
        self._coming = asyncio.current_task()
        return await anext(self._items)

    async def close(self) -> None:
        # After Ctrl-C the one who waited is gone, and the generator still at work.
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.wait({self._coming})
        await self._items.aclose()


async def _end_all() -> None:
    """End what is under way in this loop: it would be destroyed in the middle of it."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others)
    await asyncio.get_running_loop().shutdown_asyncgens()


class Tenant:
    """Everything that Longterm can do for one tenant, or for one user of it."""

    def __init__(self, inner: AsyncTenant, loop: _Loop) -> None:
        self.inner = inner
        self.loop = loop

    add_message = _Blocking(AsyncTenant.add_message)
    add_messages = _Blocking(AsyncTenant.add_messages)
    get_conversation_history = _Blocking(AsyncTenant.get_conversation_history)
    get_recent_messages = _Blocking(AsyncTenant.get_recent_messages)
    count_messages = _Blocking(AsyncTenant.count_messages)
    clear_conversation_history = _Blocking(AsyncTenant.clear_conversation_history)
    delete_message = _Blocking(AsyncTenant.delete_message)
    trim_history = _Blocking(AsyncTenant.trim_history)

    set_memory = _Blocking(AsyncTenant.set_memory)
    get_memory = _Blocking(AsyncTenant.get_memory)
    get_all_memory = _Blocking(AsyncTenant.get_all_memory)
    delete_memory = _Blocking(AsyncTenant.delete_memory)
    clear_all_memory = _Blocking(AsyncTenant.clear_all_memory)

    set_user_state = _Blocking(AsyncTenant.set_user_state)
    get_user_state = _Blocking(AsyncTenant.get_user_state)
    delete_user_state = _Blocking(AsyncTenant.delete_user_state)

    set_template = _Blocking(AsyncTenant.set_template)
    get_template = _Blocking(AsyncTenant.get_template)
    list_templates = _Blocking(AsyncTenant.list_templates)
    delete_template = _Blocking(AsyncTenant.delete_template)
    render_template = _Blocking(AsyncTenant.render_template)

    create_session = _Blocking(AsyncTenant.create_session)
    store_turn = _Blocking(AsyncTenant.store_turn)
    get_session_history = _Blocking(AsyncTenant.get_session_history)
    delete_session = _Blocking(AsyncTenant.delete_session)
    get_context_for_query = _Blocking(AsyncTenant.get_context_for_query)
    cleanup = _Blocking(AsyncTenant.cleanup)

    create_conversation = _Blocking(AsyncTenant.create_conversation)
    get_conversation = _Blocking(AsyncTenant.get_conversation)
    current_conversation = _Blocking(AsyncTenant.current_conversation)
    list_conversations = _Blocking(AsyncTenant.list_conversations)
    update_conversation = _Blocking(AsyncTenant.update_conversation)
    delete_conversation = _Blocking(AsyncTenant.delete_conversation)
    get_messages = _Blocking(AsyncTenant.get_messages)
    recall = _Blocking(AsyncTenant.recall)
    chat = _Blocking(AsyncTenant.chat)
    chat_in_session = _Blocking(AsyncTenant.chat_in_session)
    stream = _BlockingStream(AsyncTenant.stream)
    follow = _BlockingStream(AsyncTenant.follow)
    settle = _Blocking(AsyncTenant.settle)
    stop_answer = _Blocking(AsyncTenant.stop_answer)
    list_answering = _Blocking(AsyncTenant.list_answering)
    get_insight = _Blocking(AsyncTenant.get_insight)
    load_demo = _Blocking(AsyncTenant.load_demo)
    remove_demo = _Blocking(AsyncTenant.remove_demo)
    get_changes = _Blocking(AsyncTenant.get_changes)
    list_users = _Blocking(AsyncTenant.list_users)
    get_memories_used = _Blocking(AsyncTenant.get_memories_used)
    embed = _Blocking(AsyncTenant.embed)
    reembed = _Blocking(AsyncTenant.reembed)
    get_embedding_progress = _Blocking(AsyncTenant.get_embedding_progress)
    list_episodes = _Blocking(AsyncTenant.list_episodes)
    get_rolling_summary = _Blocking(AsyncTenant.get_rolling_summary)
    digest = _Blocking(AsyncTenant.digest)
    index = _Blocking(AsyncTenant.index)
    learn = _Blocking(AsyncTenant.learn)

    add_fact = _Blocking(AsyncTenant.add_fact)
    update_fact = _Blocking(AsyncTenant.update_fact)
    pin_fact = _Blocking(AsyncTenant.pin_fact)
    deactivate_fact = _Blocking(AsyncTenant.deactivate_fact)
    delete_fact = _Blocking(AsyncTenant.delete_fact)
    get_active_facts = _Blocking(AsyncTenant.get_active_facts)
    list_facts = _Blocking(AsyncTenant.list_facts)
    get_fact = _Blocking(AsyncTenant.get_fact)
    fact_history = _Blocking(AsyncTenant.fact_history)
    extract_memories = _Blocking(AsyncTenant.extract_memories)
    audit_memory = _Blocking(AsyncTenant.audit_memory)
    rebuild_memory = _Blocking(AsyncTenant.rebuild_memory)
    list_audit = _Blocking(AsyncTenant.list_audit)
    add_poi = _Blocking(AsyncTenant.add_poi)
    add_poi_mention = _Blocking(AsyncTenant.add_poi_mention)
    delete_poi = _Blocking(AsyncTenant.delete_poi)
    list_places = _Blocking(AsyncTenant.list_places)
    get_user_memory = _Blocking(AsyncTenant.get_user_memory)
    manage_user_memory = _Blocking(AsyncTenant.manage_user_memory)

    def tool_schema(self, form: SchemaForm = "json") -> dict[str, Any]:
        """Return the declaration of `manage_user_memory` for a provider."""
        return self.inner.tool_schema(form)

    get_settings = _Blocking(AsyncTenant.get_settings)
    update_settings = _Blocking(AsyncTenant.update_settings)
    get_stats = _Blocking(AsyncTenant.get_stats)

    create_key = _Blocking(AsyncTenant.create_key)
    list_keys = _Blocking(AsyncTenant.list_keys)
    revoke_key = _Blocking(AsyncTenant.revoke_key)

    import_messages = _Blocking(AsyncTenant.import_messages)
    import_conversations = _Blocking(AsyncTenant.import_conversations)
    import_stream = _BlockingStream(AsyncTenant.import_stream)
    export_user = _BlockingStream(AsyncTenant.export_user)
    forget_user = _Blocking(AsyncTenant.forget_user)
    forget_conversation = _Blocking(AsyncTenant.forget_conversation)
    forget_message = _Blocking(AsyncTenant.forget_message)
    rewind = _Blocking(AsyncTenant.rewind)


class Longterm:
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
        self._given = AsyncLongterm(
            database_url, data_dir=data_dir, llm=llm, embedder=embedder, settings=settings
        )
        self._opened: tuple[AsyncLongterm, _Loop] | None = None

    def open(self) -> None:
        """Start or find the database; `with` does this for you."""
        if self._opened is not None:
            raise ConflictError("This Longterm is open already: make another one, or close it.")
        loop = _Loop()
        try:
            loop.run(self._given.open())
        except BaseException:
            # Also on Ctrl-C: the thread of the loop would keep running.
            loop.close()
            raise
        self._opened = (self._given, loop)
        # A program that ends without closing it would leave the embedded server behind.
        atexit.register(self.close)

    def close(self) -> None:
        """Give everything back; `with` does this for you."""
        if self._opened is not None:
            inner, loop = self._opened
            self._opened = None
            atexit.unregister(self.close)
            if loop.is_of_parent:
                # It is the other process's, and in use there.
                return
            try:
                loop.run(inner.close())
            finally:
                loop.close()

    @property
    def database_url(self) -> str:
        """The database it is connected to, the embedded one included; only while open."""
        return self.inner.database_url

    @property
    def inner(self) -> AsyncLongterm:
        """The async library beneath; only while open."""
        return self._both[0]

    @property
    def loop(self) -> _Loop:
        """The loop it runs on; only while open."""
        return self._both[1]

    @property
    def _both(self) -> tuple[AsyncLongterm, _Loop]:
        if self._opened is None:
            raise ClosedError
        return self._opened

    def tenant(self, tenant_id: int | None, *, user_id: str | None = None) -> Tenant:
        """Return the memory of a tenant; with `user_id`, only what is that user's."""
        return Tenant(self.inner.tenant(tenant_id, user_id=user_id), self.loop)

    drain = _Blocking(AsyncLongterm.drain)
    cleanup = _Blocking(AsyncLongterm.cleanup)
    list_tenants = _Blocking(AsyncLongterm.list_tenants)
    create_tenant = _Blocking(AsyncLongterm.create_tenant)
    list_jobs = _Blocking(AsyncLongterm.list_jobs)
    retry_jobs = _Blocking(AsyncLongterm.retry_jobs)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
