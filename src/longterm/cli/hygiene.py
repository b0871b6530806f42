"""`longterm hygiene`."""

import asyncio
from typing import Annotated

import typer

from longterm.cli import options, output
from longterm.library import AsyncLongterm
from longterm.records.hygiene import FLAWS, MemoryAudit
from longterm.settings import Settings

app = options.new_app()

_ABOUT = {
    "duplicate": "another one says the same",
    "echo": "learned from what an assistant said",
    "ungrounded": "its message does not say it",
    "stale": "its dates are over, or a year without use",
    "secret": "looks like a secret",
    "unused": "never used in the month since",
}
_SHOWN = 5


@app.command(
    epilog=options.examples(
        "longterm hygiene --tenant 1",
        "longterm hygiene --tenant 1 --user ada --json",
    ),
)
def hygiene(
    *,
    tenant: options.TenantId = 1,
    user: Annotated[
        str | None, typer.Option(help="Only the memory of this user.", show_default="everybody")
    ] = None,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Check how clean memory is.

    Tells what is double, unfounded, old, secret or never used. Changes nothing. The ids are those of the facts.
    """
    settings = options.quietly(database_url, data_dir)
    with output.busy("Checking every fact"):
        found = asyncio.run(_audit(settings, tenant, user))
    if as_json:
        rates = {flaw: found.rate(flaw) for flaw in FLAWS}
        output.say_json({"facts": found.facts, "rates": rates, "ids": dict(found.flaws)})
        return
    output.say(f"{found.facts} facts hold now.")
    output.say_table(
        ("flaw", "facts", "share", "what it is", "ids"),
        (
            (
                flaw,
                str(len(found.flaws[flaw])),
                f"{found.rate(flaw):.1%}",
                _ABOUT[flaw],
                _ids(found.flaws[flaw]),
            )
            for flaw in FLAWS
        ),
    )


def _ids(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


async def _audit(settings: Settings, tenant: int, user: str | None) -> MemoryAudit:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).audit_memory(user)
