"""A turn: one user message and the answer to it, numbered in its conversation."""

from dataclasses import dataclass, field
from datetime import datetime

from longterm.records.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question and its answer; either is empty when it never came."""

    id: str
    session_id: str
    user_id: str
    turn_number: int
    query_text: str
    response_text: str
    created_at: datetime
    metadata: JsonObject = field(default_factory=dict[str, "None"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """What a session has to say to a new query: its last turns, also as text for a prompt.

    `resolved_query` is the query with what it refers to in these turns.
    """

    session_id: str
    query: str
    resolved_query: str
    turns: tuple[Turn, ...]
    text: str
