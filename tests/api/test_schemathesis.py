"""schemathesis on the whole API: no 5xx, no undocumented answer, nothing accepted that is wrong.

For each operation it sends the examples of the description, every boundary of its schemas, wrong
methods and content types, and random requests that fit or do not. Streams are read and checked
event by event. Nothing is left out.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import pytest
import schemathesis
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from schemathesis import Case, CheckContext, Response
from schemathesis.config import SchemathesisConfig
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.pytest import _test_builder as builder
from schemathesis.python import asgi
from schemathesis.specs.openapi import checks

from longterm import AsyncTenant, Longterm, Settings
from longterm.api.app import create_app
from longterm.records.key import KeyScope
from longterm.records.scope import SYSTEM_TENANT, Scope
from longterm.runtime import Runtime
from tests.api.described import ROOT

# The application runs in a thread beside, where the pool of connections draws its pauses.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Do not use the .random. module:hypothesis.errors.HypothesisDeprecationWarning"
)

EXAMPLES = int(os.environ.get("LONGTERM_EXAMPLES", "2"))
URL = "http://127.0.0.1:8765"
TENANT = 7
USER = "ada"
ALL = [
    (method.upper(), path) for path, operations in ROOT["paths"].items() for method in operations
]


def described(*, boundaries: bool) -> Any:
    """The description, with the phases that a test goes through."""
    config = {
        "base-url": URL,
        # It gives up after ten seconds otherwise; the application does so itself, and tells.
        "request-timeout": 100,
        "generation": {"max-examples": EXAMPLES if boundaries else (EXAMPLES + 1) // 2},
        "phases": {
            "coverage": {"enabled": boundaries, "unexpected-methods": ["put", "patch", "options"]}
        },
        # In its place: `fits_and_is_refused_by_the_engine_alone`.
        "checks": {"positive_data_acceptance": {"enabled": False}},
        "operations": [
            # …/render is also the name of a template, which can be got, put and deleted; …/mentions
            # is the end of an id of a place, which can be deleted.
            {
                "include-name": name,
                "checks": {
                    "unsupported_method": {"enabled": False},
                    "allow_header_conformance": {"enabled": False},
                },
            }
            for name in (
                "POST /api/templates/{name}/render",
                "POST /api/places/{place_id}/mentions",
            )
        ],
    }
    made = cast("Any", SchemathesisConfig).from_dict(config)
    return schemathesis.openapi.from_dict(ROOT, config=made)


# Without the boundaries for those who may do less: they meet the same code.
SCHEMAS: dict[KeyScope, Any] = {
    "admin": described(boundaries=True),
    "app": described(boundaries=False),
    "user": described(boundaries=False),
}


@dataclass(frozen=True, slots=True)
class Door:
    """A running application, and how schemathesis and others get at it."""

    session: asgi.ASGIClient
    loop: BlockingPortal
    memory: AsyncTenant


@pytest.fixture(scope="session")
def door(new_database: Callable[[str], str]) -> Iterator[Door]:
    """The application in a loop of its own, as schemathesis asks it."""
    database = new_database("longterm_schemathesis")
    with Longterm(database) as lt:
        keys: dict[KeyScope, str] = {
            "admin": lt.tenant(SYSTEM_TENANT).create_key("fuzz", "admin").secret,
            "app": lt.tenant(TENANT).create_key("fuzz", "app").secret,
            "user": lt.tenant(TENANT).create_key("fuzz", "user", USER).secret,
        }
    runtime = Runtime(Settings(database_url=database, worker=False))
    app = create_app(runtime)
    for scope, schema in SCHEMAS.items():
        schema.app = resident(app)
        schema.config.update(headers={"Authorization": f"Bearer {keys[scope]}"})
    loop = asgi._get_portal()  # pyright: ignore[reportPrivateUsage]
    with loop.wrap_async_context_manager(app.router.lifespan_context(app)):
        session = asgi.get_client(resident(app))
        # Otherwise it looks for a proxy in the environment before each request.
        session.trust_env = False
        with session:
            yield Door(session, loop, runtime.tenant(Scope(TENANT)))


def resident(app: FastAPI) -> Any:
    """The application without its start and its end, which schemathesis asks for in each test."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)

    return answer


@pytest.fixture
def there(door: Door) -> dict[str, Any]:
    """What there is of a user, by the names that it has in paths and bodies."""
    return door.loop.call(_fill, door.memory)


async def _fill(memory: AsyncTenant) -> dict[str, Any]:
    conversation = (await memory.create_conversation(USER)).id
    message = await memory.add_message(USER, "user", "Hello", conversation_id=conversation)
    fact = await memory.add_fact(USER, "Ada likes trains.")
    await memory.add_poi(USER, "home", "Home")
    return {
        "user_id": USER,
        "conversation_id": conversation,
        "session_id": conversation,
        "source_conversation_id": conversation,
        "message_id": message,
        "memory_id": fact.id,
        "place_id": "home",
    }


def point(case: Any, there: dict[str, Any]) -> None:
    """Make a request that fits be about what is there; which no description can tell."""
    # Kept answers would be given again, or refused for another body.
    case.headers.pop("Idempotency-Key", None)
    if "X-Longterm-Tenant" in case.headers:
        case.headers["X-Longterm-Tenant"] = str(TENANT)
    members = cast("dict[str, Any]", case.body) if isinstance(case.body, dict) else {}
    for known, value in there.items():
        for place in (case.path_parameters, case.query, members):
            if known in place:
                place[known] = value


def _code(told: dict[str, Any]) -> str | None:
    """The kind of a refusal, in our shape or in OpenAI's."""
    return told.get("code") or told.get("error", {}).get("code")


def fits_and_is_refused_by_the_engine_alone(
    ctx: CheckContext, response: Response, case: Case[Any]
) -> None:
    """What fits the description is refused for what a schema can't say: blank text, a secret."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    refused = response.status_code in (400, 413, 415, 422)
    if refused and _code(response.json()) in (None, "invalid_request", "malformed"):
        raise RejectedPositiveData(
            operation=case.operation.label,
            message="What fits the description was not accepted.",
            status_code=response.status_code,
            allowed_statuses=["2xx"],
        )


def fuzz(scope: KeyScope, method: str, path: str, door: Door, there: dict[str, Any]) -> None:
    schema = SCHEMAS[scope]
    sent = 0
    # That a key is asked for is a property of the operation: one answer without a key, and one
    # with a wrong key, are enough, as they are for schemathesis itself outside of pytest.
    settled: list[Any] = []

    def ask(case: Any) -> None:
        nonlocal sent
        sent += 1
        fitting = case.meta is not None and case.meta.generation.mode.is_positive
        if sent % 2 and fitting:
            point(case, there)
        answer = case.call_and_validate(
            session=door.session,
            headers=schema.config.headers,
            additional_checks=[fits_and_is_refused_by_the_engine_alone],
            excluded_checks=settled,
        )
        if fitting and answer.status_code < 300:
            settled[:] = [cast("Any", checks).ignored_auth]

    # What `schema.parametrize()` does, but when the test runs: building the cases of all
    # operations takes seconds, which each process of xdist would spend while it collects.
    cast("Any", builder).build_operation_test(
        config=schema.config,
        operation=schema[path][method],
        test_func=ask,
        given_kwargs={},
        feedback=FeedbackSources(),
    )()


@pytest.mark.parametrize(("method", "path"), ALL)
def test_an_administrator_is_answered_as_described_whatever_is_sent(
    method: str, path: str, door: Door, there: dict[str, Any]
) -> None:
    fuzz("admin", method, path, door, there)


@pytest.mark.parametrize("scope", ["app", "user"])
@pytest.mark.parametrize(("method", "path"), ALL)
def test_others_are_answered_as_described_whatever_is_sent(
    method: str,
    path: str,
    scope: Literal["app", "user"],
    door: Door,
    there: dict[str, Any],
) -> None:
    fuzz(scope, method, path, door, there)
