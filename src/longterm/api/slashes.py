"""A `/` in the id of a user: a path has it as %2F, which servers undo before anybody can tell."""

from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_USERS = b"/api/users/"
# No id has it, and no other request gets as far with it.
_STAND_IN = "\x00"
_MARK = "slashes"


class Slashes:
    """Puts a stand-in where a user's id has a `/`, so that it is one step of the path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a path that can be told apart from others."""
        path = _with_stand_in(scope.get("raw_path") or b"") if scope["type"] == "http" else None
        if path is not None:
            scope.setdefault("state", {})[_MARK] = True
            scope = {**scope, "path": path}
        await self._app(scope, receive, send)


def undone(scope: Scope, user_id: str) -> str:
    """Return the id of a user as it was sent."""
    marked = scope.get("state", {}).get(_MARK, False)
    return user_id.replace(_STAND_IN, "/") if marked else user_id


def _with_stand_in(raw: bytes) -> str | None:
    if not raw.startswith(_USERS):
        return None
    user, *rest = (unquote(step.decode("latin-1")) for step in raw[len(_USERS) :].split(b"/"))
    if "/" not in user or _STAND_IN in user:
        return None
    return "/".join([_USERS.decode() + user.replace("/", _STAND_IN), *rest])
