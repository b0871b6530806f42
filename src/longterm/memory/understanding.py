"""What is known before anything is searched, and what a query then asks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from longterm.memory import off_loop, remembering
from longterm.postgres.transaction import Conn
from longterm.recall.question import Question, understand
from longterm.records.fact import Fact, FactFilter
from longterm.records.message import Message
from longterm.records.place import Place
from longterm.records.state import ACTIVE
from longterm.store import facts, messages, places
from longterm.store import lexicon as lexicons
from longterm.store.lexicon import Lexicon
from longterm.store.search import Filters
from longterm.text import references
from longterm.text.dates import known_zone
from longterm.text.references import Exchange

_WINDOW_MESSAGES = 40
LONGEST_QUERY = 2000
_LONG_AGO = timedelta(days=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for; `current` is the conversation in which it is asked.

    In a chat the question itself is a message (`asked_in`) that must not find itself, and the
    window goes into the prompt as messages and not as text.
    """

    query: str
    limit: int
    budget_tokens: int
    as_of: datetime | None = None
    current: str | None = None
    asked_in: int | None = None
    count_use: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is looked up before anything is searched."""

    lexicon: Lexicon
    facts: Sequence[Fact]
    places: Sequence[Place]
    window: Sequence[Message]
    timezone: str


async def look_up(reads: Conn, where: Filters, wanted: Wanted) -> Known | None:
    """What is there without a search; None for a stranger, or one who is not active."""
    filtered = FactFilter(archived=False, as_of=wanted.as_of)
    lexicon, held, mentioned, window = await asyncio.gather(
        lexicons.lexicon(reads, where.user_id),
        facts.list_(reads, user_id=where.user_id, wanted=filtered),
        places.list_(reads, where.user_id),
        _window(reads, wanted),
    )
    if lexicon is None or lexicon.mode not in (None, ACTIVE):
        return None
    with_facts = "fact" in where.kinds
    return Known(
        lexicon=lexicon,
        facts=held if with_facts else (),
        places=[
            place
            for place in mentioned
            if with_facts and (wanted.as_of is None or place.added_at <= wanted.as_of)
        ],
        window=[
            message
            for message in reversed(window)
            if message.user_id == where.user_id
            and message.id != wanted.asked_in
            and (where.after is None or message.created_at >= where.after)
            and (where.before is None or message.created_at <= where.before)
        ],
        timezone=next((fact.content for fact in held if fact.key == "timezone"), "UTC"),
    )


async def _window(reads: Conn, wanted: Wanted) -> Sequence[Message]:
    if wanted.current is None:
        return ()
    return await messages.window(
        reads,
        conversation_id=wanted.current,
        limit=_WINDOW_MESSAGES,
        # A chat goes on in an archived conversation; nobody else is shown what was put away.
        put_away=wanted.asked_in is not None,
    )


async def understood(wanted: Wanted, known: Known) -> tuple[Question, str]:
    """What the query asks, and how it reads without references."""
    if known.window or known.timezone != "UTC":
        # References take some milliseconds, and a time zone reads a file.
        return await asyncio.to_thread(_understand, wanted, known)
    return await off_loop.call(len(wanted.query), _understand, wanted, known)


def _understand(wanted: Wanted, known: Known) -> tuple[Question, str]:
    resolved = references.resolve(wanted.query[:LONGEST_QUERY], _exchanges(known.window))
    question = understand(
        resolved.query,
        speakers=known.lexicon.speakers,
        said_at=_today(known.lexicon, wanted.as_of),
        timezone="UTC" if known.timezone == "UTC" else known_zone(known.timezone),
    )
    return question, resolved.query if resolved.changed else wanted.query


def _today(lexicon: Lexicon, as_of: datetime | None) -> datetime:
    """From when "in March" and "last week" count.

    A memory that ended long ago is asked about in its own time. Dates only raise what was said
    then, they leave nothing out.
    """
    now = as_of or remembering.now()
    last = lexicon.last_said_at
    return last if last is not None and last < now - _LONG_AGO else now


def _exchanges(window: Sequence[Message]) -> list[Exchange]:
    exchanges: list[Exchange] = []
    question = ""
    for message in window:
        if message.role == "user":
            question = message.content
        else:
            exchanges.append(Exchange(question=question, answer=message.content))
            question = ""
    if question:
        exchanges.append(Exchange(question=question, answer=""))
    return exchanges
