"""`Client`: each method waits for its answer."""

import functools
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import TracebackType
from typing import Generic, ParamSpec, Self, TypeVar

import httpx

from longterm.client.arguments import request_of
from longterm.client.exchange import (
    CLOSED,
    TIMEOUT_S,
    Outcome,
    Pause,
    Steps,
    asking,
    broken,
    cut_off,
    last,
    opening,
    read_pieces,
)
from longterm.client.files import opened
from longterm.client.request import Request
from longterm.client.requests import (
    conversations,
    facts,
    history,
    keyvalues,
    ownership,
    places,
    sessions,
    talking,
    templates,
    tenants,
)
from longterm.client.target import Send, Target
from longterm.errors import ClosedError

P = ParamSpec("P")
T = TypeVar("T")


class _Call(Generic[P, T]):
    """A method that sends what a function of the same name returns, and waits."""

    def __init__(self, function: Callable[P, Request[T]]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, client: "Client", kind: type) -> Callable[P, T]:
        @functools.wraps(self._function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return client.send(request_of(self._function, *args, **kwargs))

        return call


class _Stream(Generic[P, T]):
    """A method that yields the events of what a function of the same name returns."""

    def __init__(self, function: Callable[P, Request[T]]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, client: "Client", kind: type) -> Callable[P, Iterator[T]]:
        @functools.wraps(self._function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            return client.events(request_of(self._function, *args, **kwargs))

        return call


class Client:
    """Memory on a server, with the methods of the library; connections are reused.

    A key fixes the tenant, and for the scope `user` the user too; an admin key of the system may
    name a `tenant`. With `user_id`, the client is for that user alone. `timeout_s` is for each
    attempt, `attempts` for how often is asked at most. `transport` is httpx's, for what else
    there is to say about the connection.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        key: str | None = None,
        *,
        tenant: int | None = None,
        user_id: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = 3,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._target = Target(
            url=url,
            key=key,
            tenant=tenant,
            user_id=user_id,
            timeout_s=timeout_s,
            attempts=attempts,
        )
        self._http = httpx.Client(timeout=timeout_s, transport=transport)

    add_message = _Call(history.add_message)
    add_messages = _Call(history.add_messages)
    get_conversation_history = _Call(history.get_conversation_history)
    get_recent_messages = _Call(history.get_recent_messages)
    count_messages = _Call(history.count_messages)
    clear_conversation_history = _Call(history.clear_conversation_history)
    delete_message = _Call(history.delete_message)
    trim_history = _Call(history.trim_history)

    set_memory = _Call(keyvalues.set_memory)
    get_memory = _Call(keyvalues.get_memory)
    get_all_memory = _Call(keyvalues.get_all_memory)
    delete_memory = _Call(keyvalues.delete_memory)
    clear_all_memory = _Call(keyvalues.clear_all_memory)

    set_user_state = _Call(keyvalues.set_user_state)
    get_user_state = _Call(keyvalues.get_user_state)
    delete_user_state = _Call(keyvalues.delete_user_state)

    set_template = _Call(templates.set_template)
    get_template = _Call(templates.get_template)
    list_templates = _Call(templates.list_templates)
    delete_template = _Call(templates.delete_template)
    render_template = _Call(templates.render_template)

    create_session = _Call(sessions.create_session)
    store_turn = _Call(sessions.store_turn)
    get_session_history = _Call(sessions.get_session_history)
    delete_session = _Call(sessions.delete_session)
    get_context_for_query = _Call(sessions.get_context_for_query)

    create_conversation = _Call(conversations.create_conversation)
    get_conversation = _Call(conversations.get_conversation)
    current_conversation = _Call(conversations.current_conversation)
    list_conversations = _Call(conversations.list_conversations)
    update_conversation = _Call(conversations.update_conversation)
    delete_conversation = _Call(conversations.delete_conversation)
    get_messages = _Call(conversations.get_messages)
    list_episodes = _Call(conversations.list_episodes)

    add_fact = _Call(facts.add_fact)
    update_fact = _Call(facts.update_fact)
    pin_fact = _Call(facts.pin_fact)
    deactivate_fact = _Call(facts.deactivate_fact)
    delete_fact = _Call(facts.delete_fact)
    get_active_facts = _Call(facts.get_active_facts)
    list_facts = _Call(facts.list_facts)
    get_fact = _Call(facts.get_fact)
    fact_history = _Call(facts.fact_history)
    extract_memories = _Call(facts.extract_memories)
    list_audit = _Call(facts.list_audit)

    add_poi = _Call(places.add_poi)
    add_poi_mention = _Call(places.add_poi_mention)
    delete_poi = _Call(places.delete_poi)
    list_places = _Call(places.list_places)

    get_user_memory = _Call(places.get_user_memory)
    manage_user_memory = _Call(places.manage_user_memory)
    tool_schema = _Call(places.tool_schema)

    recall = _Call(talking.recall)
    chat = _Call(talking.chat)
    stream = _Stream(talking.stream)
    follow = _Stream(talking.follow)
    stop_answer = _Call(talking.stop_answer)
    get_memories_used = _Call(talking.get_memories_used)

    export_user = _Stream(ownership.export_user)
    import_conversations = _Call(ownership.import_conversations)
    import_stream = _Stream(ownership.import_stream)
    forget_user = _Call(ownership.forget_user)
    forget_conversation = _Call(ownership.forget_conversation)
    forget_message = _Call(ownership.forget_message)
    rewind = _Call(ownership.rewind)

    list_users = _Call(tenants.list_users)
    get_settings = _Call(tenants.get_settings)
    update_settings = _Call(tenants.update_settings)
    create_key = _Call(tenants.create_key)
    list_keys = _Call(tenants.list_keys)
    revoke_key = _Call(tenants.revoke_key)
    cleanup = _Call(tenants.cleanup)
    get_stats = _Call(tenants.get_stats)
    get_changes = _Call(tenants.get_changes)
    get_insight = _Call(tenants.get_insight)
    load_demo = _Call(tenants.load_demo)
    remove_demo = _Call(tenants.remove_demo)

    def send(self, request: Request[T]) -> T:
        """Send a request, more than once where that helps, and read its answer.

        Of a stream, this is its last piece.
        """
        if request.pieces is not None:
            return last(deque(self.events(request), maxlen=1))
        return self._follow(asking(self._target, request), streams=False)

    def events(self, request: Request[T]) -> Iterator[T]:
        """Send a request, and yield what comes, as it comes."""
        if request.pieces is None:
            raise TypeError("this is no stream")
        pieces = request.pieces()
        answer = self._follow(opening(self._target, request), streams=True)
        try:
            for data in answer.iter_bytes():
                yield from read_pieces(request, pieces, data)
        except httpx.RequestError as error:
            raise broken(error) from error
        finally:
            answer.close()
        if not pieces.ended:
            raise cut_off()

    def close(self) -> None:
        """Close the connections; `with` does this for you."""
        self._http.close()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _follow(self, steps: Steps[T], *, streams: bool) -> T:
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as finished:
                return finished.value
            if isinstance(step, Pause):
                outcome = time.sleep(step.seconds)
            else:
                outcome = self._ask(step, streams=streams)

    def _ask(self, step: Send, *, streams: bool) -> Outcome:
        self._check_open()
        with nullcontext(step.content) if step.file is None else opened(step.file) as content:
            request = self._http.build_request(
                step.method, step.url, headers=step.headers, content=content
            )
            try:
                answer = self._http.send(request, stream=streams)
                if streams and not answer.is_success:
                    answer.read()
            except httpx.RequestError as error:
                return error
        return answer

    def _check_open(self) -> None:
        if self._http.is_closed:
            raise ClosedError(CLOSED)
