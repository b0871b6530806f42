"""Ids of a request that may come again: the same each time, so what is said in it is kept once."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import NAMESPACE_URL, uuid5

from longterm.records.ids import new_id

_request: ContextVar[str | None] = ContextVar("repeated request", default=None)


@contextmanager
def request(name: str) -> Generator[None]:
    """Let what is said meanwhile have ids that belong to this request, whenever it comes."""
    before = _request.set(name)
    try:
        yield
    finally:
        _request.reset(before)


def id_of(what: str) -> str:
    """The id of a part of the request, such as its question; a new one outside of any."""
    return id_in_request(what) or new_id()


def id_in_request(what: str) -> str | None:
    """The id of a part of the request; None outside of any."""
    name = _request.get()
    return None if name is None else str(uuid5(NAMESPACE_URL, f"longterm:{what}:{name}"))
