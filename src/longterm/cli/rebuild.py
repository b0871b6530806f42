"""`longterm rebuild`."""

import asyncio
from typing import Annotated

import typer

from longterm.cli import options, output
from longterm.library import AsyncLongterm
from longterm.records.hygiene import Rebuild
from longterm.settings import Settings

app = options.new_app()


@app.command(
    epilog=options.examples(
        "longterm rebuild --tenant 1 --user ada --diff",
        "longterm rebuild --tenant 1 --user ada --yes",
    ),
)
def rebuild(
    *,
    user: Annotated[str, typer.Option(help="Whose memory.", show_default=False)],
    tenant: options.TenantId = 1,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change, no more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Apply without asking.")] = False,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Read messages again with the extractor of today.

    What differs is stored. What would change is shown first. What people, agents and applications set is left alone, and
    so is what was learned from messages that are gone.
    """
    settings = options.quietly(database_url, data_dir)
    with output.busy("Reading the log again"):
        found = asyncio.run(_rebuild(settings, tenant, user, apply=False))
    if as_json:
        output.say_json(found)
    else:
        _show(found)
    if diff or not (found.added or found.changed or found.removed):
        return
    if not yes and not typer.confirm("Apply this?", err=True):
        raise typer.Exit(1)
    with output.busy("Storing what differs"):
        asyncio.run(_rebuild(settings, tenant, user, apply=True))
    if not as_json:
        output.say("Done.")


def _show(found: Rebuild) -> None:
    rows = [("+", new.category, new.key, new.content, "") for new in found.added]
    rows += [
        ("~", new.category, new.key, new.content, f"was: {old.content}")
        for old, new in found.changed
    ]
    rows += [("-", old.category, old.key, old.content, "") for old in found.removed]
    output.say(
        f"{len(found.added)} added, {len(found.changed)} changed, {len(found.removed)} removed, "
        f"{found.unchanged} left as they are."
    )
    if rows:
        output.say_table(
            ("", "category", "key", "says", ""), ([str(cell or "") for cell in row] for row in rows)
        )
    if found.failed:
        output.say(f"{found.failed} messages could not be read; what they gave is left alone.")


async def _rebuild(settings: Settings, tenant: int, user: str, *, apply: bool) -> Rebuild:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).rebuild_memory(user, apply=apply)
