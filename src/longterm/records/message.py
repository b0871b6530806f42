"""A message: one entry of a conversation."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from longterm.records.json import Json
from longterm.records.used import Used

Role = Literal["user", "assistant"]
Status = Literal["complete", "partial", "interrupted"]

ROLES: tuple[Role, ...] = ("user", "assistant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """What an application attaches to a message; kept as it came."""

    tool_calls: Json = None
    suggested_values: Json = None
    suggested_actions: Json = None
    custom_payload: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message that is checked and not stored yet."""

    user_id: str
    role: Role
    content: str
    conversation_id: str | None = None
    name: str | None = None
    said_at: datetime | None = None
    payloads: Payloads = field(default_factory=Payloads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message; `created_at` is when it was said, `recorded_at` when it was stored."""

    id: int
    tenant_id: int | None
    user_id: str
    conversation_id: str
    turn: int
    role: Role
    content: str
    name: str | None
    status: Status
    created_at: datetime
    recorded_at: datetime
    tool_calls: Json
    suggested_values: Json
    suggested_actions: Json
    custom_payload: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage(Message):
    """A message of a page; an answer tells what it was made from."""

    used: Used | None = None
