"""MCP over standard input and output: one client, one person."""

from mcp.server.stdio import stdio_server

from longterm.mcp.server import server_of
from longterm.memory.tenant import Person


async def converse(person: Person) -> None:
    """Answer until the client closes our input; what else is printed goes to standard error."""
    server = server_of(person)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
