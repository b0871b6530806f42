"""What users own: everything out, everything gone."""

from fastapi import APIRouter

from longterm.api.people import UserOfPath
from longterm.api.wire.ownership import Receipt

router = APIRouter(prefix="/api/users/{user_id}", tags=["ownership"])


@router.delete("")
async def forget_user(user: UserOfPath) -> Receipt:
    """Forget a user: every row of every table, with a receipt.

    Sent again after it was cut off, it goes on where it was.
    """
    return Receipt.of(await user.memory.forget_user(user.id))
