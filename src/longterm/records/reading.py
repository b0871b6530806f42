"""A reading: what an extractor makes of a message, before anything is decided or stored."""

from dataclasses import dataclass
from datetime import datetime

from longterm.records.proposal import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message as an extractor gets it."""

    id: int
    role: str
    content: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a message says about its user; `refused` tells why something was left out."""

    message_id: int
    proposals: tuple[Proposal, ...] = ()
    refused: str | None = None
