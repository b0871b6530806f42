"""`longterm forget`."""

import asyncio
import sys
from typing import Annotated

import typer

from longterm.cli import options, output
from longterm.errors import InvalidInputError
from longterm.library import AsyncLongterm
from longterm.records.forgetting import Receipt
from longterm.settings import Settings

app = options.new_app()


@app.command(
    epilog=options.examples(
        "longterm forget ada",
        "longterm forget ada --conversation 0198c3f2-7a11-7c55-b9a3-2f1d7d2f8f10 --yes",
        "longterm forget ada --message 42 --yes --json",
    ),
)
def forget(
    user: Annotated[str, typer.Argument(help="Whom, or whose.", show_default=False)],
    *,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this one.", show_default=False)
    ] = None,
    message: Annotated[
        int | None, typer.Option(metavar="ID", help="Only this one.", show_default=False)
    ] = None,
    tenant: options.TenantId = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Forget a user, a conversation or a message, with a receipt.

    What was learned from it goes too. This can't be undone.
    """
    if conversation is not None and message is not None:
        raise InvalidInputError("Give --conversation or --message, not both.")
    settings = options.quietly(database_url, data_dir)
    what = _told(user, conversation, message)
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInputError("Forgetting can't be undone: without a terminal, give --yes.")
        typer.confirm(f"Forget {what} of tenant {tenant} for good?", abort=True, err=True)
    with output.busy(f"Forgetting {what}"):
        receipt = asyncio.run(_forget(settings, tenant, user, conversation, message))
    if as_json:
        output.say_json(receipt)
    else:
        _show(receipt)


def _told(user: str, conversation: str | None, message: int | None) -> str:
    if message is not None:
        return f"message {message} of {user}"
    return f"everything of {user}" if conversation is None else f"a conversation of {user}"


def _show(receipt: Receipt) -> None:
    output.say(f"Forgotten at {receipt.at.isoformat(' ', 'seconds')}, receipt {receipt.id}.")
    gone = [(table, str(count)) for table, count in receipt.counts.items() if count]
    output.say_table(("table", "rows"), gone)
    output.say("To clear the files of the database too, run as a superuser:")
    output.say(*(f"  {statement};" for statement in receipt.vacuum))
    output.say("What that does not reach:", *(f"  - {what}" for what in receipt.remains))


async def _forget(
    settings: Settings, tenant: int, user: str, conversation: str | None, message: int | None
) -> Receipt:
    async with AsyncLongterm(settings=settings) as lt:
        mem = lt.tenant(tenant)
        if message is not None:
            return await mem.forget_message(user, message)
        if conversation is not None:
            return await mem.forget_conversation(user, conversation)
        return await mem.forget_user(user)
