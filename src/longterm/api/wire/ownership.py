"""Receipts as JSON."""

from datetime import datetime

from pydantic import Field

from longterm.api.wire.shapes import Out
from longterm.records.forgetting import Forgotten


class Receipt(Out):
    """What was forgotten and when, and what is left to do outside of Longterm."""

    id: str
    what: Forgotten
    tenant_id: int | None
    user_id: str
    conversation_id: str | None
    message_id: int | None
    at: datetime
    counts: dict[str, int] = Field(description="How many rows of which table went.")
    vacuum: list[str] = Field(
        description="After these statements, run by a superuser, the files of the tables hold "
        "none of it."
    )
    remains: list[str] = Field(description="What no statement reaches.")
