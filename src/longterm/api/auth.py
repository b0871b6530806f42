"""Who asks: the holder of a key, or somebody on this machine while no key was ever made."""

import ipaddress
import time
from collections.abc import Awaitable
from dataclasses import dataclass, replace

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from longterm.api.peers import Peer, is_forwarded
from longterm.api.problems import problem
from longterm.api.process import Process
from longterm.errors import InvalidInputError, NotAllowedError
from longterm.memory.inputs import MAX_INTEGER
from longterm.records.key import KeyHolder, KeyScope
from longterm.records.scope import SYSTEM_TENANT

# Whether the process is well, what it offers, and the page, in which there is nothing until its
# scripts ask with a key. Everything else is somebody's.
_WELL = ("/status", "/healthz", "/readyz", "/metrics", "/openapi.json")
_PAGE = ("/", "/memory", "/insight", "/settings")
_PAGE_BENEATH = ("/c/", "/static/")
PUBLIC = frozenset({*_WELL, *_PAGE, "/c/{conversation_id}", "/static/{version}/{path}"})
TENANT_HEADER = "X-Longterm-Tenant"

_RECHECK_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks: of which tenant, and what they may do; `root` is an admin of the system.

    `keyless` is somebody on this machine while no key was ever made.
    """

    key_id: str
    tenant_id: int
    scope: KeyScope
    user_id: str | None = None
    root: bool = False
    keyless: bool = False


_NOBODY_ELSE = Caller(key_id="this machine", tenant_id=1, scope="admin", keyless=True)


def caller_of(scope: Scope) -> Caller | None:
    """Return who asks; None where nobody was asked."""
    return scope.get("state", {}).get("caller")


def is_public(path: str) -> bool:
    """Whether anybody may ask for this path."""
    return path in PUBLIC or path.startswith(_PAGE_BENEATH)


def is_openai(path: str) -> bool:
    """Whether a path is one of those that OpenAI has, too."""
    return path.startswith("/v1/")


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Authentication:
    """Finds out who asks, for every path that is not public."""

    def __init__(self, app: ASGIApp, *, process: Process) -> None:
        self._app = app
        self._process = process
        self._local = is_loopback(process.runtime.settings.host)
        self._keyless_until = 0.0

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on with its caller in `state`, or refuse it."""
        if scope["type"] != "http" or is_public(scope["path"]):
            return self._app(scope, receive, send)
        return self._ask(scope, receive, send)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look up who it is before anything else."""
        headers = Headers(scope=scope)
        caller = await self._caller(scope, headers)
        if caller is None:
            await _refusal("authorization" in headers)(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = _in_tenant(caller, headers.get(TENANT_HEADER))
        await self._app(scope, receive, send)

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        # A client of OpenAI always sends a key, if only for the server behind us.
        may_lack_key = "authorization" not in headers or is_openai(scope["path"])
        if may_lack_key and await self._keyless() and await _is_direct(scope, headers):
            return _NOBODY_ELSE
        secret = _secret(headers)
        holder = None if secret is None else await self._process.keyring.holder(secret)
        return None if holder is None else _of(holder)

    async def _keyless(self) -> bool:
        """Whether no key is asked for; that there is none is believed for a second."""
        if not self._local:
            return False
        if time.monotonic() < self._keyless_until:
            return True
        if await self._process.keyring.any_made():
            return False
        self._keyless_until = time.monotonic() + _RECHECK_S
        return True


async def _is_direct(scope: Scope, headers: Headers) -> bool:
    """Whether a program on this machine asks for itself, and passes on nobody else's request."""
    if is_forwarded(scope.get("http_version", "1.1"), headers):
        return False
    peer: Peer | None = scope.get("state", {}).get("peer")
    return peer is None or await peer.may_be_person()


def _secret(headers: Headers) -> str | None:
    """The one key that a request carries."""
    given = headers.getlist("authorization")
    scheme, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if scheme.lower() == "bearer" else None


def _of(holder: KeyHolder) -> Caller:
    return Caller(
        key_id=holder.id,
        tenant_id=holder.tenant_id,
        scope=holder.scope,
        user_id=holder.user_id,
        root=holder.tenant_id == SYSTEM_TENANT and holder.scope == "admin",
    )


def _in_tenant(caller: Caller, named: str | None) -> Caller:
    """The caller, in the tenant that the request names where it may."""
    if named is None:
        return caller
    if not (named.isascii() and named.isdecimal()) or len(named) > 19 or int(named) > MAX_INTEGER:
        raise InvalidInputError(f"{TENANT_HEADER} must be the number of a tenant.")
    if int(named) != caller.tenant_id and not caller.root:
        raise NotAllowedError("Only an admin key of the system may name another tenant.")
    return replace(caller, tenant_id=int(named))


def _refusal(given: bool) -> Response:
    if given:
        detail = "This key is not known, or it was revoked."
        challenge = 'Bearer realm="longterm", error="invalid_token"'
    else:
        detail = (
            "A key is needed: Authorization: Bearer lt_…; `longterm keys create NAME` makes one. "
            "Before the first, only a program that connects directly from this machine needs none."
        )
        challenge = 'Bearer realm="longterm"'
    return problem(401, detail, headers={"WWW-Authenticate": challenge}, code="unauthorized")
