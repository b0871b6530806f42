"""`longterm keys create`, `longterm keys list` and `longterm keys revoke`."""

import asyncio
from typing import Annotated

import typer

from longterm.cli import output
from longterm.cli.options import (
    AsJson,
    DatabaseUrl,
    DataDir,
    TenantId,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.errors import MemoryNotFoundError
from longterm.library import AsyncLongterm
from longterm.records.key import ApiKey, IssuedKey, KeyScope
from longterm.settings import Settings

app = new_app()


@app.callback()
def keys() -> None:
    """Make, list and revoke keys of the HTTP API.

    Until the first key is made, a server that listens to this machine alone asks for none. From
    then on every request needs one.
    """


@app.command(
    epilog=examples(
        "longterm keys create shop",
        "longterm keys create operator --scope admin --tenant 0",
        "longterm keys create phone --scope user --user ada --json",
    ),
)
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.", show_default=False)],
    *,
    scope: Annotated[
        KeyScope,
        typer.Option(help="admin, app for any user of the tenant, or user for one."),
    ] = "app",
    user: Annotated[
        str | None, typer.Option(metavar="USER_ID", help="Whose key it is, for the scope user.")
    ] = None,
    tenant: TenantId = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once: only its hash is stored."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Making a key"):
        issued = asyncio.run(_create(settings, tenant, name, scope, user))
    if as_json:
        output.say_json(issued)
    else:
        output.say(issued.secret, "This is shown once. Send it as `Authorization: Bearer …`.")


@app.command(
    "list",
    epilog=examples(
        "longterm keys list",
        "longterm keys list --tenant 7 --json",
    ),
)
def list_(
    *,
    tenant: TenantId = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List the keys of a tenant, also those that were revoked."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Reading keys"):
        found = asyncio.run(_list(settings, tenant))
    if as_json:
        output.say_json({"items": found})
    elif not found:
        output.say(f"Tenant {tenant} has no keys.")
    else:
        columns = ("id", "key", "name", "scope", "user", "made", "last used", "revoked")
        output.say_table(columns, map(_row, found))


@app.command(
    epilog=examples(
        "longterm keys revoke 01933b3c-7e8a-7000-8000-000000000001",
    ),
)
def revoke(
    key_id: Annotated[
        str, typer.Argument(help="Its id, from `longterm keys list`.", show_default=False)
    ],
    *,
    tenant: TenantId = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key, from the next request on."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Revoking the key"):
        asyncio.run(_revoke(settings, tenant, key_id))
    if as_json:
        output.say_json({"revoked": key_id})
    else:
        output.say("Revoked.")


async def _create(
    settings: Settings, tenant: int, name: str, scope: KeyScope, user: str | None
) -> IssuedKey:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).create_key(name, scope, user)


async def _list(settings: Settings, tenant: int) -> list[ApiKey]:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).list_keys()


async def _revoke(settings: Settings, tenant: int, key_id: str) -> None:
    async with AsyncLongterm(settings=settings) as lt:
        if not await lt.tenant(tenant).revoke_key(key_id):
            raise MemoryNotFoundError(f"Tenant {tenant} has no such key that is not revoked.")


def _row(key: ApiKey) -> tuple[str, ...]:
    times = (key.created_at, key.last_used_at, key.revoked_at)
    return (
        key.id,
        f"{key.prefix}…",
        key.name,
        key.scope,
        key.user_id or "-",
        *("-" if time is None else time.isoformat(" ", timespec="seconds") for time in times),
    )
