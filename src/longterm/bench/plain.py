"""The least that FastAPI can do: `python -m longterm.bench.plain` returns what came by stdin."""

import asyncio
import sys

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response

from longterm.listener import SERVER_OPTIONS, open_listener, url_of


def app_with(body: bytes) -> FastAPI:
    """Make an application with one route, which returns these bytes from memory."""
    app = FastAPI(openapi_url=None)

    async def same() -> Response:
        return Response(body, media_type="application/json")

    app.add_api_route("/messages", same)
    return app


async def serve(body: bytes) -> None:
    """Serve until killed, with the settings of `longterm serve`."""
    with open_listener("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(app_with(body), **SERVER_OPTIONS))
        sys.stdout.write(f"{url_of(listener)}\n")
        sys.stdout.flush()
        await server.serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(serve(sys.stdin.buffer.read()))
