"""The socket that the server listens on, and how uvicorn serves there."""

import errno
import ipaddress
import socket
import sys
from typing import Any

from longterm.errors import SetupError

# How long a connection may have something to send to somebody who does not read.
STALL_S = 60

SERVER_OPTIONS: dict[str, Any] = {
    # Ours: an error there must reach the caller, and not uvicorn's log.
    "lifespan": "off",
    "log_config": None,
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    "ws": "none",
}


def open_listener(host: str, port: int, *, stall_s: float = STALL_S) -> socket.socket:
    """Listen on `host` and `port` (0: any that is free)."""
    family, address = _resolved(host, port)
    try:
        listener = socket.create_server((address, port), family=family)
    except OSError as error:
        raise SetupError(_refused(address, port, error)) from error
    # Connections inherit it. asyncio sets it only where a socket names its protocol, which this
    # one does not; without, the body of an answer waits 40 ms for the client to confirm its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if sys.platform == "linux":
        # The kernel ends the connection, and a server can't: closing one waits for the reader.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(stall_s * 1000))
    return listener


def hears_others(listener: socket.socket) -> bool:
    """Whether other machines can be heard, and not this one alone."""
    return not ipaddress.ip_address(listener.getsockname()[0]).is_loopback


def url_of(listener: socket.socket) -> str:
    """Return the address that a browser takes."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SetupError(
            f"The host {host!r} is not an address of this machine: leave it at 127.0.0.1."
        ) from error
    family, _, _, _, address = found[0]
    return family, str(address[0])


def _refused(address: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken, perhaps by a Longterm that is running already: choose another "
            "one with --port (0 takes any that is free), or stop the program that has it."
        )
    if error.errno == errno.EACCES:
        return f"This user may not listen on port {port}: choose one above 1023 with --port."
    return f"Longterm cannot listen on {address}, port {port} ({error.strerror})."
