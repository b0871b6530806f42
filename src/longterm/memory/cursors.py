"""Cursors: where a page ended, as text that callers only hand back."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime

from longterm.errors import InvalidInputError
from longterm.memory import inputs
from longterm.records.conversation import Conversation, Place


def encode(last: Conversation) -> str:
    """Return the cursor for the page after this conversation."""
    place = json.dumps([last.updated_at.isoformat(), last.id, last.pinned])
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def decode(cursor: str) -> Place:
    """Return the place that a cursor stands for."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        moment, conversation_id, pinned = json.loads(urlsafe_b64decode(padded))
        place = Place(
            pinned=inputs.flag(pinned, "cursor"),
            updated_at=datetime.fromisoformat(moment),
            id=inputs.uuid(conversation_id, "cursor"),
        )
    except (ValueError, TypeError, AttributeError, RecursionError, InvalidInputError):
        raise InvalidInputError("cursor must be a `next_cursor` of an earlier page.") from None
    if place.updated_at.utcoffset() is None:
        raise InvalidInputError("cursor must be a `next_cursor` of an earlier page.")
    return place
