"""`longterm tenants list`, `longterm tenants create` and `longterm tenants set`."""

import asyncio
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

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
from longterm.records.tenant import TenantEntry, TenantSettings
from longterm.settings import Settings

Kept = Annotated[
    str | None, typer.Option(metavar="HOURS", help="Hours after the last turn, or `keep`.")
]
Most = Annotated[int | None, typer.Option(min=0, help="How many a day at most.")]

app = new_app()


@app.callback()
def tenants() -> None:
    """List and make tenants, and change their settings.

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


@app.command(
    "set",
    epilog=examples(
        "longterm tenants set 7",
        "longterm tenants set 7 --no-memory",
        "longterm tenants set 7 --defaults --keep-sessions 48 --json",
    ),
)
def set_(
    tenant_id: Annotated[int, typer.Argument(min=0, help="Its number.")],
    *,
    keep_conversations: Kept = None,
    keep_sessions: Kept = None,
    model_calls: Most = None,
    model_tokens: Most = None,
    memory: Annotated[
        bool | None,
        typer.Option(help="Whether chat remembers, and anything is learned or indexed."),
    ] = None,
    defaults: Annotated[
        bool, typer.Option(help="Leave all else to the installation, not as it is.")
    ] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the settings of a tenant, and change those that are named."""
    changes: dict[str, Any] = {
        "conversation_retention": _kept(keep_conversations),
        "session_retention": _kept(keep_sessions),
        "model_calls_per_day": model_calls,
        "model_tokens_per_day": model_tokens,
        "memory": memory,
    }
    named = {name: value for name, value in changes.items() if value is not None}
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Reading the tenant's settings"):
        now = asyncio.run(_set(settings, tenant_id, named, defaults=defaults))
    if as_json:
        output.say_json(now)
    else:
        rows = [(name, "–" if value is None else str(value)) for name, value in now.items()]
        output.say_table(("setting", "value"), rows)


def _kept(given: str | None) -> str | float | None:
    try:
        return None if given is None else float(given)
    except ValueError:
        return given


async def _set(
    settings: Settings, tenant_id: int, changes: dict[str, Any], *, defaults: bool
) -> dict[str, Any]:
    async with AsyncLongterm(settings=settings) as lt:
        tenant = lt.tenant(tenant_id)
        before = TenantSettings() if defaults else await tenant.get_settings()
        if changes or defaults:
            await tenant.update_settings(**(asdict(before) | changes))
        now = asdict(await tenant.get_settings())
    return {name: _shown(value) for name, value in now.items()}


def _shown(value: object) -> object:
    return value / timedelta(hours=1) if isinstance(value, timedelta) else value


async def _list(settings: Settings) -> list[TenantEntry]:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.list_tenants()


async def _create(settings: Settings, tenant_id: int | None) -> TenantEntry:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.create_tenant(tenant_id)


def _row(tenant: TenantEntry) -> tuple[str, str]:
    return str(tenant.tenant_id), tenant.created_at.isoformat(" ", timespec="seconds")
