"""A receipt: what was forgotten, and what is left to do outside of Longterm."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Forgotten = Literal["user", "conversation", "message", "rewind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was forgotten and when, how many rows of which table went, and what remains to do.

    After the statements of `vacuum`, run by a superuser, the tables of the database hold none of
    it, nor do their files. `remains` names what no statement reaches.
    """

    id: str
    what: Forgotten
    tenant_id: int | None
    user_id: str
    conversation_id: str | None
    message_id: int | None
    at: datetime
    counts: Mapping[str, int]
    vacuum: tuple[str, ...]
    remains: tuple[str, ...]
