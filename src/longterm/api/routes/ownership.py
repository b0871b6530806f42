"""What users own: everything out, everything gone."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from longterm.api.people import UserOfPath
from longterm.api.problems import code_of
from longterm.api.process import CurrentProcess
from longterm.api.uploads import discard, receive
from longterm.api.wire.ownership import Receipt
from longterm.errors import LongtermError
from longterm.memory.importing import as_json
from longterm.records.importing import Format, ImportReport
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


_PROGRESS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `progress` with what was stored so far, and last "
        "`done` with all of it, or `error` with what is wrong (`detail` and `code`, as in a "
        "problem).",
        # By convention the shape of each event.
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "required": ["event", "data"],
                    "properties": {
                        "event": {"enum": ["progress", "done", "error"]},
                        "data": {"type": "string", "contentMediaType": "application/json"},
                    },
                }
            }
        },
    }
}
_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file: an export of another program, as JSON or zip.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/import", responses=_PROGRESS, response_class=StreamingResponse, openapi_extra=_FILE)
async def import_conversations(
    request: Request,
    user: UserOfPath,
    process: CurrentProcess,
    format: Annotated[  # noqa: A002
        Format | Literal["auto"], Query(description="Which program made the file.")
    ] = "auto",
) -> StreamingResponse:
    """Take in the conversations of another program, from the file in the body.

    Sent again, only what is new is stored.
    """
    limit = process.runtime.settings.max_import_bytes
    path = await receive(request, max_bytes=limit)
    events = _imported(user.memory.import_stream(user.id, path, format=format), path)
    # The first before the answer begins: a file that can't be read has a status of its own.
    first = await anext(events)
    return StreamingResponse(
        _from(first, events), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _imported(reports: AsyncGenerator[ImportReport], path: Path) -> AsyncGenerator[bytes]:
    report: ImportReport | None = None
    try:
        async for report in reports:
            yield _event("progress", as_json(report))
    except LongtermError as error:
        if report is None:
            raise
        yield _event("error", {"detail": str(error), "code": code_of(error), **as_json(report)})
        return
    finally:
        await discard(path)
    if report is not None:
        yield _event("done", as_json(report))


async def _from(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for one in rest:
        yield one


def _event(kind: str, told: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


@router.delete("")
async def forget_user(user: UserOfPath) -> Receipt:
    """Forget a user: every row of every table, with a receipt.

    Sent again after it was cut off, it goes on where it was.
    """
    return Receipt.of(await user.memory.forget_user(user.id))
