"""`longterm recall`."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

import typer

from longterm.cli import options, output
from longterm.library import AsyncLongterm
from longterm.records.passage import KINDS, Kind
from longterm.records.recall import Recall
from longterm.settings import Settings

app = options.new_app()


@app.command(
    epilog=options.examples(
        'longterm recall ada "where did I go hiking?"',
        'longterm recall ada "what do you call me?" --tenant 7 --budget 500 --json',
    ),
)
def recall(
    user: Annotated[str, typer.Argument(help="Whose memory.")],
    query: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    tenant: options.TenantId = 1,
    conversation: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only in this conversation.", show_default="all"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many hits at most.")] = 10,
    budget: Annotated[int, typer.Option(min=0, help="How many tokens the text may have.")] = 2000,
    kind: Annotated[
        Kind | None, typer.Option(help="Only this kind of memory.", show_default="all")
    ] = None,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what memory has to say to a query, and why.

    First the text for a prompt, then each hit with its score and the reasons for it.
    """
    settings = options.quietly(database_url, data_dir)
    asked = {
        "conversation_id": conversation,
        "limit": limit,
        "budget_tokens": budget,
        "kinds": KINDS if kind is None else (kind,),
    }
    with output.busy("Remembering"):
        found = asyncio.run(_recall(settings, tenant, user, query, **asked))
    if as_json:
        output.say_json({**asdict(found), "text": found.text})
    else:
        _show(found)


async def _recall(settings: Settings, tenant: int, user: str, query: str, **options: Any) -> Recall:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.tenant(tenant).recall(user, query, **options)


def _show(found: Recall) -> None:
    output.say(found.text or "There is nothing in memory that bears on this.")
    if found.items:
        output.say("")
        output.say_table(
            ("score", "kind", "said", "why", "text"),
            (
                (
                    f"{item.score:.2f}",
                    item.kind,
                    f"{item.said_at:%Y-%m-%d}",
                    "; ".join(item.why),
                    " ".join(item.text.split())[:100],
                )
                for item in found.items
            ),
        )
    stages = ", ".join(f"{name} {spent:.1f}" for name, spent in found.timings_ms.items())
    output.say("", f"{found.tokens} tokens. Milliseconds: {stages or 'none'}.")
    if found.degraded:
        output.say("The embedder did not answer: this was found by words alone.")
