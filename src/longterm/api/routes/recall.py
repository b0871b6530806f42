"""Recall: what memory has to say to a query."""

from fastapi import APIRouter

from longterm.api.people import Anybody
from longterm.api.wire.recall import Recall, RecallQuery

router = APIRouter(tags=["recall"])


@router.post("/api/recall")
async def recall(wanted: RecallQuery, asked: Anybody) -> Recall:
    """Find what bears on a query, and make a text for the prompt of it, within a token budget.

    Facts that are pinned or important are always there. Each hit says why it was found.
    """
    user = asked.of(wanted.user_id)
    return Recall.of(
        await user.memory.recall(
            user.id,
            wanted.query,
            conversation_id=wanted.conversation_id,
            limit=wanted.limit,
            budget_tokens=wanted.budget_tokens,
            kinds=wanted.kinds,
            as_of=wanted.as_of,
            after=wanted.after,
            before=wanted.before,
            min_turn=wanted.min_turn,
        )
    )
