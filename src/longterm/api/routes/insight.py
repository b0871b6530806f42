"""How memory is doing."""

from typing import Annotated

from fastapi import APIRouter, Query

from longterm.api.people import Anybody
from longterm.api.wire.insight import Insight

router = APIRouter(tags=["users"])


@router.get("/api/insight")
async def get_insight(
    asked: Anybody,
    days: Annotated[int, Query(ge=1, le=366, description="How many days, today included.")] = 30,
) -> Insight:
    """Tell how the memory of a user is doing, or of the tenant where none is named."""
    found = await asked.memory().get_insight(asked.id(), days)
    return Insight.to(asked.caller, found)
