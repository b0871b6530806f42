"""The library's methods over HTTP, for programs that talk to a server; needs httpx alone."""

from longterm.client.asynchronous import AsyncClient
from longterm.client.blocking import Client

__all__ = ["AsyncClient", "Client"]
