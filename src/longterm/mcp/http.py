"""MCP over streamable HTTP: each request stands alone, so any server process can answer it."""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from longterm.mcp.server import server_of
from longterm.memory.tenant import Person

# Our own guards know which hosts and origins are allowed, and have counted the body.
_OPEN = TransportSecuritySettings(enable_dns_rebinding_protection=False)
_ANY_SIZE = 2**63


async def answer(person: Person, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request of this person.

    What is begun for it ends with it, also when its time is up: the tasks are those of a manager
    that lives no longer than the request.
    """
    manager = StreamableHTTPSessionManager(
        server_of(person),
        json_response=True,
        stateless=True,
        security_settings=_OPEN,
        max_request_body_size=_ANY_SIZE,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
