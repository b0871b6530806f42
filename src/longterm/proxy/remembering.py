"""What memory adds to a request, and what it keeps of it; it never costs anybody an answer."""

import asyncio
from dataclasses import dataclass, field

from longterm.errors import (
    BudgetSpentError,
    HaltedError,
    InvalidInputError,
    LongtermError,
    MemoryNotFoundError,
    NotAllowedError,
    UnavailableError,
)
from longterm.memory.relay import Recollection, Relay, Request, Standing
from longterm.observe.log import get_logger
from longterm.providers.model import Usage
from longterm.records.thread import Entry, Followed

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


async def remember(relay: Relay, request: Request, *, patience_s: float) -> Memory:
    """Keep what is new, and find what bears on it, within the time there is."""
    memory = Memory(relay, request)
    deadline = asyncio.get_running_loop().time() + patience_s
    try:
        if await _keep(memory, deadline):
            await _recollect(memory, deadline)
    except _REFUSALS:
        raise
    except Exception as error:  # noqa: BLE001
        # The boundary between memory and the application: whatever is wrong here, its request
        # goes through.
        _failed("remember", error)
        memory.degraded.append("error")
    return memory


async def admit(relay: Relay, *, patience_s: float) -> None:
    """Refuse whom no model answers, also without memory; who can't be looked up may go on."""
    try:
        async with asyncio.timeout(patience_s):
            await relay.check()
    except BudgetSpentError:
        raise
    except (UnavailableError, TimeoutError) as error:
        _log.warning("not checked", operation="admit", error=type(error).__name__)


async def _keep(memory: Memory, deadline: float) -> bool:
    """Store the question, or put it on disk; tells whether anything may be recalled."""
    try:
        async with asyncio.timeout_at(deadline):
            standing = await memory.relay.check()
            if standing is Standing.FORGETFUL:
                return False
            memory.followed = await memory.relay.follow(memory.request)
            memory.is_kept = True
            return standing is Standing.ACTIVE
    except BudgetSpentError:
        raise
    except (UnavailableError, TimeoutError):
        memory.degraded.append("database")
    try:
        await memory.relay.keep_for_later(memory.request)
        memory.is_kept = True
    except UnavailableError as error:
        _log.warning("not kept", operation="remember", error=str(error))
        memory.degraded.append("not-stored")
    return False


async def _recollect(memory: Memory, deadline: float) -> None:
    if memory.followed is None:
        return
    try:
        async with asyncio.timeout_at(deadline):
            memory.found = await memory.relay.recollect(memory.request, memory.followed)
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
