"""The HTTP server, from opening its socket to stopping the database."""

import asyncio
import gc
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn

from longterm.api.app import create_app
from longterm.api.connections import ImpatientProtocol
from longterm.errors import SetupError, UnavailableError
from longterm.lifetime import beside
from longterm.listener import SERVER_OPTIONS, hears_others, open_listener, url_of
from longterm.memory.keys import Keyring
from longterm.runtime import Runtime
from longterm.settings import Settings

# How long a request that is under way may take once the server was told to stop.
_GRACE_S = 10
_WITHOUT_A_KEY = (
    "Longterm does not listen on {host} without a key: make one with `longterm keys create NAME`, "
    "or leave the host at 127.0.0.1 and reach it from elsewhere by an SSH tunnel."
)


async def serve(settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Serve until cancelled; `announce` is told the address once it can be opened."""
    # Before the database: somebody whose port is taken should not have to wait for it.
    with await asyncio.to_thread(open_listener, settings.host, settings.port) as listener:
        runtime = Runtime(settings, wait_for_database=True)
        app = create_app(runtime)
        config = uvicorn.Config(
            app,
            **SERVER_OPTIONS,
            http=ImpatientProtocol,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = _Server(config, announce=lambda: announce(url_of(listener)))
        async with app.router.lifespan_context(app):
            if hears_others(listener) and not await _may_have_keys(app.state.process.keyring):
                raise SetupError(_WITHOUT_A_KEY.format(host=settings.host))
            async with beside(server.serve(sockets=[listener]), stop=server.stop) as serving:
                await runtime.run(serving)


async def _may_have_keys(keyring: Keyring) -> bool:
    try:
        return await keyring.any_made()
    except UnavailableError:
        # Nobody is let in without a key before the database was asked.
        return True


class _Server(uvicorn.Server):
    """uvicorn, but signals are left to `longterm.lifetime`."""

    def __init__(self, config: uvicorn.Config, *, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    def stop(self) -> None:
        """Take no more requests, and let the ones under way come to their end."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell so."""
        await super().startup(sockets)
        # What is loaded by now stays. Whenever the collector of garbage looked through all of it,
        # nobody was answered for a tenth of a second.
        gc.freeze()
        self._announce()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals alone."""
        yield
