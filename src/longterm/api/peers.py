"""Who is at the other end of a connection: a program of a person, or a service such as a proxy.

A reverse proxy on this machine connects from loopback, too, and passes on what comes from others.
It gives itself away by a header, by HTTP/1.0, or by the account that it runs under.
"""

import asyncio
import os
import socket
from pathlib import Path

from starlette.datastructures import Headers

_FORWARDED = frozenset(
    {
        *("forwarded", "via", "cdn-loop", "client-ip", "x-client-ip", "x-real-ip"),
        *("true-client-ip", "fastly-client-ip", "x-cluster-client-ip", "x-proxyuser-ip"),
        *("x-scheme", "x-request-start", "x-original-host", "x-original-url"),
    }
)
_FORWARDED_PREFIXES = (
    *("x-forwarded-", "cf-", "fly-", "tailscale-", "ngrok-"),
    *("x-envoy-", "x-amzn-", "x-appengine-", "x-azure-", "x-vercel-"),
)

# The kernel's list of connections, with the account of each end that is on this machine.
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
# Which accounts are services: Linux gives people numbers from 1000 on, systemd gives services
# without an account of their own some of the last ones, and 65534 is nobody.
_SERVICES = (range(1, 1000), range(61_184, 65_536))


def is_forwarded(http_version: str, headers: Headers) -> bool:
    """Whether a proxy says, or shows by how it speaks, that it passes a request on."""
    if http_version == "1.0":
        # nginx's default. Browsers, curl and libraries speak 1.1.
        return True
    if "upgrade" in headers.get("connection", "").lower() and "upgrade" not in headers:
        # nginx, set up for WebSockets.
        return True
    return any(name in _FORWARDED or name.startswith(_FORWARDED_PREFIXES) for name in headers)


class Peer:
    """The other end of one connection; looked up once, when somebody asks."""

    def __init__(self, connection: socket.socket) -> None:
        self._ends = (connection.getpeername()[:2], connection.getsockname()[:2])
        self._found: bool | None = None

    async def may_be_person(self) -> bool:
        """Whether it may be a program of a person, and is not a service.

        Where the kernel keeps no such list, everybody may be.
        """
        if self._found is None:
            self._found = await asyncio.to_thread(_may_be_person, *self._ends)
        return self._found


def _may_be_person(peer: tuple[str, int], here: tuple[str, int]) -> bool:
    try:
        tables = [table.read_text() for table in _TABLES if table.exists()]
    except OSError:
        tables = []
    if not tables:
        return True
    owner = owner_of("\n".join(tables), peer, here)
    return owner is not None and not is_service(owner)


def is_service(owner: int) -> bool:
    """Whether an account is that of a service, other than our own."""
    return owner != os.geteuid() and any(owner in services for services in _SERVICES)


def owner_of(tables: str, peer: tuple[str, int], here: tuple[str, int]) -> int | None:
    """Return the account that holds the other end; None where nobody does any more."""
    wanted = [(_written(*peer, family), _written(*here, family)) for family in (4, 6)]
    for line in tables.splitlines():
        columns = line.split()
        # Of a connection that was closed the kernel knows no account, and says 0.
        if len(columns) > 9 and (columns[1], columns[2]) in wanted and columns[9] != "0":
            return int(columns[7])
    return None


def _written(host: str, port: int, family: int) -> str:
    """An address as the kernel writes it: 32 bits at a time, in the order of this machine."""
    if ":" in host:
        packed = socket.inet_pton(socket.AF_INET6, host)
    else:
        mapped = b"\0" * 10 + b"\xff" * 2 if family == 6 else b""
        packed = mapped + socket.inet_pton(socket.AF_INET, host)
    words = memoryview(packed).cast("I")
    return f"{''.join(f'{word:08X}' for word in words)}:{port:04X}"
