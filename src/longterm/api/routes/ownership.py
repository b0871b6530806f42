"""What users own: everything out, everything gone."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from longterm.api.people import UserOfPath
from longterm.api.wire.ownership import Receipt
from longterm.records.json import JsonObject

router = APIRouter(prefix="/api/users/{user_id}", tags=["ownership"])


_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "JSON Lines: a header, one record in each line, and an end.",
        "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
    }
}


@router.get("/export", responses=_LINES, response_class=StreamingResponse)
async def export_user(user: UserOfPath) -> StreamingResponse:
    """Hand out everything of a user as JSON Lines, as it is read."""
    records = user.memory.export_user(user.id)
    # The first before the answer begins: what is refused has a status of its own.
    first = await anext(records)
    return StreamingResponse(
        _lines(first, records),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": 'attachment; filename="longterm-export.jsonl"'},
    )


async def _lines(first: JsonObject, records: AsyncGenerator[JsonObject]) -> AsyncIterator[bytes]:
    yield _line(first)
    async for record in records:
        yield _line(record)


def _line(record: JsonObject) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


@router.delete("")
async def forget_user(user: UserOfPath) -> Receipt:
    """Forget a user: every row of every table, with a receipt.

    Sent again after it was cut off, it goes on where it was.
    """
    return Receipt.of(await user.memory.forget_user(user.id))
