"""The server that has the model: any that speaks OpenAI's language."""

from collections.abc import AsyncGenerator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import quote

import httpx

from longterm.errors import MemoryNotFoundError, SetupError
from longterm.providers import access
from longterm.providers.access import Access
from longterm.proxy.errors import UpstreamGoneError, UpstreamSlowError
from longterm.proxy.headers import Pairs
from longterm.settings import Settings

_CONNECT_S = 10.0
_SPEAKS = ("openai", "ollama", "openai-compatible")


class Upstream:
    """Sends requests on, and hands out the answers as they come.

    Making one reads certificates from disk, so it is not done on an event loop.
    """

    def __init__(self, where: Access, *, timeout_s: float) -> None:
        self.key = where.api_key
        self._http = httpx.AsyncClient(
            base_url=where.base_url,
            timeout=httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s), pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            # A cookie that came for one user would go up with the next one's request.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )

    async def send(
        self, method: str, path: str, *, headers: Pairs, content: bytes = b""
    ) -> httpx.Response:
        """Send a request; the answer has to be closed."""
        request = self._http.build_request(method, path, headers=headers, content=content or None)
        try:
            return await self._http.send(request, stream=True)
        except httpx.TimeoutException:
            raise UpstreamSlowError from None
        except httpx.HTTPError:
            raise UpstreamGoneError from None

    async def close(self) -> None:
        """Give back connections."""
        await self._http.aclose()


def model_path(name: str) -> str:
    """Where a model is; raises `MemoryNotFoundError` for a name that leads elsewhere."""
    if {"", ".", ".."} & set(name.split("/")):
        raise MemoryNotFoundError("There is no such model.")
    return f"/models/{quote(name, safe='/:@')}"


async def pieces(response: httpx.Response) -> AsyncGenerator[bytes]:
    """The body of an answer as it comes."""
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except httpx.TimeoutException:
        raise UpstreamSlowError from None
    except httpx.HTTPError:
        raise UpstreamGoneError from None


def find(settings: Settings) -> Upstream | None:
    """The server of the settings, else that of the language model; None where there is none."""
    where = _access(settings)
    return None if where is None else Upstream(where, timeout_s=settings.upstream_timeout_s)


def _access(settings: Settings) -> Access | None:
    if settings.upstream_url is not None:
        if not settings.upstream_url.startswith(("http://", "https://")):
            raise SetupError("LONGTERM_UPSTREAM_URL must begin with http:// or https://.")
        key = settings.upstream_key
        return Access(
            base_url=settings.upstream_url.rstrip("/"),
            api_key=None if key is None else key.get_secret_value(),
        )
    vendor, _, _ = (settings.llm or "").partition(":")
    if vendor not in _SPEAKS:
        return None
    key = settings.upstream_key or settings.llm_api_key
    return access.find(
        vendor,
        base_url=settings.llm_base_url,
        api_key=None if key is None else key.get_secret_value(),
    )
