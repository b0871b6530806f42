"""`longterm mcp`."""

from typing import Annotated

import typer

from longterm.cli.options import (
    DatabaseUrl,
    DataDir,
    TenantId,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.lifetime import beside, run_until_told
from longterm.mcp.stdio import converse
from longterm.memory import inputs
from longterm.memory.tenant import Person
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.settings import Settings

app = new_app()


@app.command(
    epilog=examples(
        "longterm mcp",
        "longterm mcp --user ada --tenant 7",
        "claude mcp add longterm -- longterm mcp --user ada",
    ),
)
def mcp(
    *,
    user: Annotated[str, typer.Option(help="Whose memory.")] = "me",
    tenant: TenantId = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Serve memory to agents over MCP, on standard input and output.

    Started by an agent's program, which speaks the Model Context Protocol with it. It ends when
    that closes its input. Background work is done here too, unless LONGTERM_WORKER is false.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings)
    run_until_told(_serve(settings, Scope(inputs.tenant_id(tenant), inputs.user_id(user))))


async def _serve(settings: Settings, scope: Scope) -> None:
    async with Runtime(settings) as runtime:
        person = Person(str(scope.user_id), scope.tenant_id or None, runtime.tenant(scope))
        if not settings.worker:
            await converse(person)
            return
        worker = runtime.lasting_worker()
        async with beside(worker.run(), stop=worker.stop):
            await converse(person)
