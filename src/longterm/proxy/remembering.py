"""What memory adds to a request, and what it keeps of it; it never costs anybody an answer."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from longterm.errors import (
    BudgetSpentError,
    HaltedError,
    InvalidInputError,
    LongtermError,
    MemoryNotFoundError,
    NotAllowedError,
    UnavailableError,
)
from longterm.memory.aside import Aside
from longterm.memory.relay import Recollection, Relay, Request, Standing
from longterm.observe.log import get_logger
from longterm.providers.model import Usage
from longterm.records.thread import Entry, Followed

T = TypeVar("T")

# What the caller has to hear of. All else is our trouble, and not the application's.
_REFUSALS = (
    BudgetSpentError,
    HaltedError,
    InvalidInputError,
    MemoryNotFoundError,
    NotAllowedError,
)
_MOST_NAMED = 50

_log = get_logger(__name__)


@dataclass(slots=True)
class Memory:
    """What memory did for one request; `degraded` names what it could not do."""

    relay: Relay
    request: Request
    followed: Followed | None = None
    found: Recollection | None = None
    is_kept: bool = False
    degraded: list[str] = field(default_factory=list[str])

    def headers(self) -> dict[str, str]:
        """What the answer says of it."""
        told: dict[str, str] = {}
        if self.followed is not None:
            told["x-longterm-conversation"] = self.followed.conversation_id
        elif self.is_kept and self.request.named is not None:
            told["x-longterm-conversation"] = self.request.named
        if self.found is not None:
            items = (*self.found.recall.facts, *self.found.recall.items)
            used = list(dict.fromkeys(f"{item.kind}:{item.id}" for item in items))
            told["x-longterm-memories"] = ",".join(used[:_MOST_NAMED])
        if self.degraded:
            told["x-longterm-degraded"] = ",".join(self.degraded)
        return told


class Patience:
    """The time that memory has for one request."""

    def __init__(self, aside: Aside, seconds: float) -> None:
        self._aside = aside
        self._now = asyncio.get_running_loop().time
        self._deadline = self._now() + seconds

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for something, as long as there is time."""
        return await self._aside.within(work, seconds=self._deadline - self._now())


async def remember(relay: Relay, request: Request, patience: Patience) -> Memory:
    """Keep what is new, and find what bears on it, within the time there is."""
    memory = Memory(relay, request)
    try:
        if await _keep(memory, patience):
            await _recollect(memory, patience)
    except _REFUSALS:
        raise
    except Exception as error:  # noqa: BLE001
        # The boundary between memory and the application: whatever is wrong here, its request
        # goes through.
        _failed("remember", error)
        memory.degraded.append("error")
    return memory


async def admit(relay: Relay, patience: Patience) -> None:
    """Refuse whom no model answers, also without memory; who can't be looked up may go on."""
    try:
        await patience.wait(relay.check())
    except BudgetSpentError:
        raise
    except (UnavailableError, TimeoutError) as error:
        _log.warning("not checked", operation="admit", error=type(error).__name__)


async def _keep(memory: Memory, patience: Patience) -> bool:
    """Store the question, or put it on disk; tells whether anything may be recalled."""
    try:
        standing, memory.followed = await patience.wait(_follow(memory.relay, memory.request))
    except BudgetSpentError:
        raise
    except (UnavailableError, TimeoutError):
        memory.degraded.append("database")
    else:
        memory.is_kept = memory.followed is not None
        return standing is Standing.ACTIVE
    try:
        await memory.relay.keep_for_later(memory.request)
        memory.is_kept = True
    except UnavailableError as error:
        _log.warning("not kept", operation="remember", error=str(error))
        memory.degraded.append("not-stored")
    return False


async def _follow(relay: Relay, request: Request) -> tuple[Standing, Followed | None]:
    standing = await relay.check()
    return standing, None if standing is Standing.FORGETFUL else await relay.follow(request)


async def _recollect(memory: Memory, patience: Patience) -> None:
    if memory.followed is None:
        return
    try:
        memory.found = await patience.wait(memory.relay.recollect(memory.request, memory.followed))
    except (UnavailableError, TimeoutError):
        memory.degraded.append("recall")
        return
    if memory.found is not None and memory.found.recall.degraded:
        memory.degraded.append("embedder")


async def keep_answer(
    relay: Relay, memory: Memory | None, entry: Entry, usage: Usage | None
) -> None:
    """Store an answer, or what came of it; then count what it cost, if it cost anything."""
    try:
        if memory is not None and memory.is_kept and (entry.content.strip() or entry.tool_calls):
            if memory.followed is None:
                await relay.keep_for_later(memory.request, entry)
            else:
                await relay.keep_answer(memory.request, memory.followed, entry)
        if usage is not None:
            await relay.count(entry.model or "unknown", usage)
    except Exception as error:  # noqa: BLE001
        # The same boundary: nobody waits for this, and its text may quote what was said.
        _failed("keep_answer", error)


def _failed(operation: str, error: Exception) -> None:
    # The text of a foreign error may quote what a user said.
    told = str(error) if isinstance(error, LongtermError) else type(error).__name__
    _log.error("memory failed", operation=operation, error=told)
