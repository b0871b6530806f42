"""`longterm audit`."""

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from longterm.cli import options, output
from longterm.errors import InvalidInputError
from longterm.library import AsyncLongterm
from longterm.records.audit import AuditEntry
from longterm.records.page import Page
from longterm.settings import Settings

app = options.new_app()

_SHOWN = 60


@app.command(
    epilog=options.examples(
        "longterm audit --tenant 1",
        "longterm audit --user ada --after 2026-05-04T12:00:00Z --json",
    ),
)
def audit(
    *,
    tenant: options.TenantId = 1,
    user: Annotated[
        str | None, typer.Option(help="Only the memory of this user.", show_default="everybody")
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only later changes; a time with its offset."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many changes at most.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(help="The next_cursor of the page before.", show_default=False)
    ] = None,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Show who changed what in memory.

    Newest first: when, whose memory, by whom, what, and from which message.
    """
    settings = options.quietly(database_url, data_dir)
    since = None if after is None else _time(after)
    page = asyncio.run(_list(settings, tenant, user, since, limit, cursor))
    if as_json:
        items = [asdict(entry) for entry in page.items]
        output.say_json({"items": items, "next_cursor": page.next_cursor})
        return
    if not page.items:
        output.say("Nothing was changed.")
        return
    output.say_table(
        ("at", "user", "actor", "action", "subject", "message", "after"), map(_row, page.items)
    )
    if page.next_cursor is not None:
        output.say(f"There are more: --cursor {page.next_cursor}")


def _row(entry: AuditEntry) -> tuple[str, ...]:
    told = "" if entry.after is None else json.dumps(entry.after, ensure_ascii=False)
    return (
        entry.at.isoformat(timespec="seconds"),
        entry.user_id,
        entry.actor,
        entry.action,
        entry.subject,
        "" if entry.source_message_id is None else str(entry.source_message_id),
        told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…",
    )


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError("--after must be a time such as 2026-05-04T12:00:00Z.") from None


async def _list(
    settings: Settings,
    tenant: int,
    user: str | None,
    after: datetime | None,
    limit: int,
    cursor: str | None,
) -> Page[AuditEntry]:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).list_audit(user, after=after, limit=limit, cursor=cursor)
