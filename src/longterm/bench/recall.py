"""How much of the evidence recall finds: questions whose answers are known to be in a message."""

import json
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from longterm.bench.timing import Progress
from longterm.errors import SetupError
from longterm.library import AsyncLongterm, AsyncTenant
from longterm.recall.fuse import WEIGHTS, Weights
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage

CUTS = (5, 10, 20)
TENANT = 1
ANSWERABLE = "answerable"

_PARTS = tuple(part.name for part in fields(Weights))
_WORK = ("index", "embed", "learn")


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    speaker: str
    role: str
    text: str
    caption: str | None = ""
    ts: datetime
    session: str


class _Query(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    query: str
    category: str
    gold: list[str]
    answerable: bool = True


class Told(BaseModel):
    """A conversation of the file, with its questions."""

    model_config = ConfigDict(extra="ignore")

    id: str
    user: str
    messages: list[_Message]
    queries: list[_Query]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: what was found, in order, and how much of the evidence is among it."""

    id: str
    category: str
    answerable: bool
    ranked: tuple[str, ...]
    recall: dict[int, float]
    reciprocal_rank: float
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The means over some questions."""

    category: str
    questions: int
    recall: dict[int, float]
    mrr: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Every question, and the scores by category, the answerable ones together last.

    `without` has the scores of all answerable ones when a part of the ranking is left out;
    `background` how many messages a second each kind of background work took.
    """

    asked: tuple[Asked, ...]
    scores: tuple[Score, ...]
    without: tuple[Score, ...]
    messages: int
    background: dict[str, float]
    indexed_per_s: float
    p50_ms: float
    p95_ms: float


def read(file: Path) -> list[Told]:
    """Read a file of conversations with questions."""
    try:
        return TypeAdapter(list[Told]).validate_json(file.read_bytes())
    except OSError as error:
        raise SetupError(f"{file} can't be read: {error.strerror}.") from error
    except (ValidationError, json.JSONDecodeError) as error:
        raise SetupError(f"{file} is not a list of conversations with questions.") from error


async def run(
    lt: AsyncLongterm, told: Sequence[Told], progress: Progress, *, ablate: bool = False
) -> Report:
    """Store every conversation as a fresh user, and ask every question."""
    mem = lt.tenant(TENANT)
    progress.start("storing and indexing", len(told))
    begun = time.perf_counter()
    names: dict[str, dict[int, str]] = {}
    for one in told:
        names[one.id] = await _store(mem, one)
        await lt.drain()
        progress.step()
    indexing_s = time.perf_counter() - begun
    asked = await _ask_all(mem, told, names, progress)
    without: list[Score] = []
    for part in _PARTS if ablate else ():
        again = await _ask_all(_without(lt, part), told, names, progress)
        without.append(replace(_scores(again)[-1], category=part))
    messages = sum(len(one.messages) for one in told)
    spent = sorted(each.milliseconds for each in asked) or [math.nan]
    return Report(
        asked=tuple(asked),
        scores=tuple(_scores(asked)),
        without=tuple(without),
        messages=messages,
        background=_background(lt, messages),
        indexed_per_s=messages / indexing_s if indexing_s else math.nan,
        p50_ms=statistics.median(spent),
        p95_ms=spent[min(len(spent) - 1, math.ceil(len(spent) * 0.95) - 1)],
    )


async def _ask_all(
    mem: AsyncTenant, told: Sequence[Told], names: dict[str, dict[int, str]], progress: Progress
) -> list[Asked]:
    progress.start("asking", sum(len(one.queries) for one in told))
    asked: list[Asked] = []
    for one in told:
        for query in one.queries:
            asked.append(await _ask(mem, one, query, names[one.id]))
            progress.step()
    return asked


def _without(lt: AsyncLongterm, part: str) -> AsyncTenant:
    """The same memory, ranked without one of the parts."""
    weights = replace(WEIGHTS, **{part: 0.0})
    rules = replace(lt.parts.rules, weights=weights)
    return AsyncTenant(replace(lt.parts, rules=rules), Scope(TENANT))


def _background(lt: AsyncLongterm, messages: int) -> dict[str, float]:
    """How many messages a second each kind of work took, by its own time."""
    registry = lt.parts.metrics.registry
    spent = {
        task: registry.get_sample_value("longterm_operation_seconds_sum", {"operation": task})
        for task in _WORK
    }
    return {task: messages / seconds for task, seconds in spent.items() if seconds}


async def _store(mem: AsyncTenant, one: Told) -> dict[int, str]:
    """Store each session as a conversation; returns the file's id of each message stored."""
    sessions: dict[str, list[_Message]] = {}
    for message in one.messages:
        sessions.setdefault(message.session, []).append(message)
    await mem.import_messages(
        _user(one),
        [
            ImportedConversation(messages=[_imported(message) for message in session])
            for session in sessions.values()
        ],
    )
    stored = sorted(await _ids(mem, _user(one), len(one.messages)))
    in_order = [message.id for session in sessions.values() for message in session]
    return dict(zip(stored, in_order, strict=True))


async def _ids(mem: AsyncTenant, user_id: str, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        page = await mem.get_conversation_history(user_id, limit=1000, offset=len(found))
        found += [message.id for message in page]
    return found


def _imported(message: _Message) -> ImportedMessage:
    at = message.ts if message.ts.tzinfo else message.ts.replace(tzinfo=UTC)
    caption = f" [{message.caption}]" if message.caption else ""
    return ImportedMessage(
        role=message.role,
        content=f"{message.text}{caption}",
        created_at=at,
        name=message.speaker,
    )


async def _ask(mem: AsyncTenant, one: Told, query: _Query, names: dict[int, str]) -> Asked:
    begun = time.perf_counter()
    found = await mem.recall(_user(one), query.query, limit=20, kinds=("turn",))
    spent = (time.perf_counter() - begun) * 1000
    ranked = tuple(dict.fromkeys(names[id_] for item in found.items for id_ in item.message_ids))
    gold = set(query.gold)
    first = next((place for place, id_ in enumerate(ranked, 1) if id_ in gold), None)
    return Asked(
        id=query.id,
        category=query.category,
        answerable=query.answerable,
        ranked=ranked,
        recall={cut: len(gold & set(ranked[:cut])) / max(len(gold), 1) for cut in CUTS},
        reciprocal_rank=1 / first if first else 0.0,
        milliseconds=spent,
    )


def _scores(asked: Sequence[Asked]) -> list[Score]:
    kinds = sorted({each.category for each in asked})
    by_kind = [_score(kind, [each for each in asked if each.category == kind]) for kind in kinds]
    return [*by_kind, _score(ANSWERABLE, [each for each in asked if each.answerable])]


def _score(category: str, asked: Sequence[Asked]) -> Score:
    count = max(len(asked), 1)
    return Score(
        category=category,
        questions=len(asked),
        recall={cut: sum(each.recall[cut] for each in asked) / count for cut in CUTS},
        mrr=sum(each.reciprocal_rank for each in asked) / count,
    )


def _user(one: Told) -> str:
    return f"bench-{one.user}"[:255]
