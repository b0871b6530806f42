"""`longterm tenants list` and `longterm tenants create`."""

import asyncio
from typing import Annotated

import typer

from longterm.cli import output
from longterm.cli.options import (
    AsJson,
    DatabaseUrl,
    DataDir,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.library import AsyncLongterm
from longterm.records.tenant import TenantEntry
from longterm.settings import Settings

app = new_app()


@app.callback()
def tenants() -> None:
    """List and make tenants.

    A tenant sees nothing of another one. It comes into being with the first thing that is stored
    for it, too; 0 is the system.
    """


@app.command(
    "list",
    epilog=examples(
        "longterm tenants list",
        "longterm tenants list --json",
    ),
)
def list_(
    *, database_url: DatabaseUrl = None, data_dir: DataDir = None, as_json: AsJson = False
) -> None:
    """List the tenants of this installation, by number."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Reading tenants"):
        found = asyncio.run(_list(settings))
    if as_json:
        output.say_json({"items": found})
    elif not found:
        output.say("There are no tenants yet.")
    else:
        output.say_table(("tenant", "made"), map(_row, found))


@app.command(
    epilog=examples(
        "longterm tenants create",
        "longterm tenants create 7 --json",
    ),
)
def create(
    tenant_id: Annotated[
        int | None,
        typer.Argument(min=1, help="Its number.", show_default="the smallest that is free"),
    ] = None,
    *,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Make a tenant."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Making a tenant"):
        made = asyncio.run(_create(settings, tenant_id))
    if as_json:
        output.say_json(made)
    else:
        output.say(f"Made tenant {made.tenant_id}.")


async def _list(settings: Settings) -> list[TenantEntry]:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.list_tenants()


async def _create(settings: Settings, tenant_id: int | None) -> TenantEntry:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.create_tenant(tenant_id)


def _row(tenant: TenantEntry) -> tuple[str, str]:
    return str(tenant.tenant_id), tenant.created_at.isoformat(" ", timespec="seconds")
