"""Unlearning: facts and places that rest on forgotten messages go, what they replaced comes back."""

from collections.abc import Sequence

from longterm.postgres.transaction import Conn
from longterm.store import unlearning as store
from longterm.store.forgetting import Gone
from longterm.store.unlearning import RestingVersion


async def unlearn(conn: Conn, gone: Gone) -> dict[str, int]:
    """Undo what messages taught, before they are deleted; the user's row is locked.

    A fact that somebody else said too rests on that from now on.
    """
    user_id, ids = gone.user_id, gone.message_ids
    whole = gone.conversation_id if gone.whole else None
    conversation_ids = [gone.conversation_id] if gone.whole else []
    await store.uncount(conn, user_id=user_id, message_ids=ids, conversation_ids=conversation_ids)
    open_again = await store.not_ended(conn, user_id=user_id, message_ids=ids)
    resting = await store.resting(
        conn, user_id=user_id, message_ids=ids, conversation_ids=conversation_ids
    )
    lost = [one for one in resting if one.other_at is None]
    for one in resting:
        if one.other_at is not None:
            await store.rest_on(conn, one, user_id=user_id)
    deleted = await store.delete_versions(conn, lost, user_id=user_id)
    touched = sorted({one.id for one in resting} | {*open_again})
    for fact_id in touched:
        await store.rejoin(conn, user_id=user_id, fact_id=fact_id, last=_last(lost, fact_id))
    left = await _redact(conn, user_id, touched, lost)
    places, mentions = await _unplace(conn, gone, whole)
    trail = await store.delete_audit(
        conn, user_id=user_id, message_ids=ids, subjects=[*({*touched} - {*left}), *places]
    )
    return {
        "facts": deleted,
        "places": len(places),
        "place_mentions": mentions,
        "audit": trail,
    }


async def _redact(
    conn: Conn, user_id: str, touched: Sequence[str], lost: Sequence[RestingVersion]
) -> list[str]:
    """Take what is lost out of the trail of the facts that are left, and return these."""
    left = await store.left(conn, user_id=user_id, fact_ids=touched)
    for fact_id in left:
        versions = [one.version for one in lost if one.id == fact_id]
        await store.redact(conn, user_id=user_id, fact_id=fact_id, versions=versions)
    return left


async def _unplace(conn: Conn, gone: Gone, whole: str | None) -> tuple[list[str], int]:
    spoken_of = await store.delete_mentions(
        conn,
        user_id=gone.user_id,
        conversation_id=gone.conversation_id,
        message_ids=gone.message_ids,
        whole=whole,
    )
    places = await store.delete_places(conn, user_id=gone.user_id, place_ids=spoken_of)
    return places, len(spoken_of)


def _last(lost: Sequence[RestingVersion], fact_id: str) -> RestingVersion | None:
    """The lost version that held last, if it was closed for another reason than its successor."""
    of_fact = [one for one in lost if one.id == fact_id]
    if not of_fact or of_fact[-1].closed == "replaced":
        return None
    return of_fact[-1]
