"""For whom a request is: the tenant of its caller, and the user that it names."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request

from longterm.api.auth import Caller, caller_of
from longterm.api.process import CurrentProcess, Process
from longterm.api.slashes import undone
from longterm.errors import InvalidInputError, NotAllowedError
from longterm.memory import inputs, installation
from longterm.memory.tenant import AsyncTenant, Person
from longterm.records.key import KeyScope
from longterm.records.scope import Scope
from longterm.records.tenant import TenantEntry

# Whose memory it is, where neither the query nor the body can tell.
USER_HEADER = "X-Longterm-User"
# Who asks from this machine while no key was ever made, and names nobody.
ME = "me"

_ABOVE: dict[KeyScope, tuple[KeyScope, ...]] = {
    "admin": ("admin",),
    "app": ("admin", "app"),
    "user": ("admin", "app", "user"),
}


class Asked:
    """Who asks, and the user that the query names, if it names one."""

    def __init__(self, request: Request, named: str | None) -> None:
        self.caller = _caller(request)
        self._state: dict[str, Any] = request.scope["state"]
        self._process: Process = request.app.state.process
        self._named = named

    def of(self, given: str | None = None) -> Person:
        """The user that the body or the query names; with a user's key it is that user."""
        user_id = self.id(given)
        if user_id is None:
            raise InvalidInputError("user_id is needed: with this key, any user can be meant.")
        return Person(user_id, self.caller.tenant_id or None, self.memory(given))

    def memory(self, given: str | None = None) -> AsyncTenant:
        """The memory of that user, or of the tenant where none is named."""
        return self._process.runtime.tenant(Scope(self.caller.tenant_id, self.id(given)))

    def keep_answer(self, kept: bool) -> None:
        """Say whether the answer may be kept for whoever asks again."""
        self._state["keep_answer"] = kept

    def id(self, given: str | None = None) -> str | None:
        """The id of that user, or None where none is named."""
        named = {inputs.user_id(name) for name in (given, self._named) if name is not None}
        if len(named) > 1:
            raise InvalidInputError(
                "user_id must be the same in the query and in the path or body."
            )
        fixed = self.caller.user_id
        if fixed is not None and named - {fixed}:
            raise NotAllowedError("This key belongs to another user.")
        user_id = next(iter(named), fixed)
        self.is_of(user_id)
        return user_id

    def is_of(self, user_id: str | None) -> None:
        """Note whose answer it is, for whoever keeps it."""
        self._state["user_id"] = user_id


def in_header(request: Request, name: str) -> str | None:
    """What a header says, if it is there."""
    given = request.headers.getlist(name)
    if len(given) > 1:
        raise InvalidInputError(f"{name} must be there once.")
    if not given:
        return None
    try:
        # The framework reads Latin-1, and clients write UTF-8. Not either of them as it comes: the
        # bytes of one user in the one are those of another user in the other.
        return given[0].encode("latin-1").decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{name} must be UTF-8.") from error


def _caller(request: Request) -> Caller:
    caller = caller_of(request.scope)
    if caller is None:
        raise RuntimeError("A route that is not public was reached without a caller.")
    return caller


# Asynchronous, though nothing is awaited: the framework would run each in a thread. With threads,
# GET …/messages took 5.0 times the CPU time of the library, without 2.8 times.
async def _asked(
    request: Request,
    user_id: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=255,
            description="Whose memory it is; with a key of the scope `user` it may be left out.",
            examples=["ada"],
        ),
    ] = None,
) -> Asked:
    return Asked(request, user_id)


async def _in_query(asked: Annotated[Asked, Depends(_asked)]) -> Person:
    return asked.of()


async def _in_path(
    request: Request,
    user_id: Annotated[str, Path(min_length=1, max_length=255, examples=["ada"])],
) -> Person:
    # A proxy may have undone a %2F: then the path names somebody else than the query does.
    named = request.query_params.get("user_id")
    return Asked(request, named).of(undone(request.scope, user_id))


async def _alone(request: Request) -> Asked:
    return Asked(request, None)


async def _tenant(request: Request) -> AsyncTenant:
    return Asked(request, None).memory()


def least(scope: KeyScope) -> Callable[[Request], Awaitable[None]]:
    """Refuse callers whose key is not good for this."""

    async def check(request: Request) -> None:
        if _caller(request).scope not in _ABOVE[scope]:
            raise NotAllowedError(f"This needs a key of the scope `{scope}`.")

    return check


async def root(request: Request) -> None:
    """Refuse everybody but an admin of the system."""
    if not _caller(request).root:
        raise NotAllowedError("This needs an admin key of the system, tenant 0.")


async def _visible(request: Request, process: CurrentProcess) -> list[TenantEntry]:
    caller = _caller(request)
    if caller.root:
        return await installation.list_tenants(process.runtime.parts)
    return await installation.tenant_itself(process.runtime.parts, caller.tenant_id)


Known = Annotated[Caller, Depends(_caller)]
Anybody = Annotated[Asked, Depends(_asked)]
UserOfQuery = Annotated[Person, Depends(_in_query)]
UserOfPath = Annotated[Person, Depends(_in_path)]
Alone = Annotated[Asked, Depends(_alone)]
OfTenant = Annotated[AsyncTenant, Depends(_tenant)]
Visible = Annotated[list[TenantEntry], Depends(_visible)]
