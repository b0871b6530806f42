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
from schemathesis import Case, CheckContext, Response
from schemathesis.config import SchemathesisConfig
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.pytest import _test_builder as builder
from schemathesis.python import asgi

from longterm import Longterm, Settings
from longterm.api.app import create_app
from longterm.records.key import KeyScope
from longterm.records.scope import SYSTEM_TENANT
from longterm.runtime import Runtime

# The application runs in a thread beside, where the pool of connections draws its pauses.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Do not use the .random. module:hypothesis.errors.HypothesisDeprecationWarning"
)

EXAMPLES = int(os.environ.get("LONGTERM_EXAMPLES", "2"))
URL = "http://127.0.0.1:8765"
TENANT = 7
USER = "ada"
ROOT: dict[str, Any] = create_app(Runtime(Settings(database_url="postgresql://nowhere"))).openapi()
ALL = [
    (method.upper(), path) for path, operations in ROOT["paths"].items() for method in operations
]


def described(*, boundaries: bool) -> Any:
    """The description, with the phases that a test goes through."""
    config = {
        "base-url": URL,
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
    """A running application, and its keys."""

    session: asgi.ASGIClient
    keys: dict[KeyScope, str]

    def post(self, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.keys['app']}"}
        answer = self.session.post(URL + path, json={"user_id": USER, **body}, headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.json()


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
    app = create_app(Runtime(Settings(database_url=database, worker=False)))
    for scope, schema in SCHEMAS.items():
        schema.app = app
        schema.config.update(headers={"Authorization": f"Bearer {keys[scope]}"})
    with asgi.get_client(cast("Any", app)) as session:
        yield Door(session, keys)
    asgi.shutdown_lifespans()


@pytest.fixture
def there(door: Door) -> dict[str, Any]:
    """What there is of a user, by the names that it has in paths and bodies."""
    conversation = door.post("/api/conversations")["id"]
    said = door.post(f"/api/conversations/{conversation}/messages", role="user", content="Hello")
    return {
        "user_id": USER,
        "conversation_id": conversation,
        "session_id": conversation,
        "source_conversation_id": conversation,
        "message_id": said["items"][0]["id"],
        "memory_id": door.post("/api/memories", content="Ada likes trains.")["id"],
        "place_id": door.post("/api/places", place_id="home", place_name="Home")["place_id"],
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


def fuzz(scope: KeyScope, method: str, path: str, there: dict[str, Any]) -> None:
    schema = SCHEMAS[scope]
    sent = 0

    def ask(case: Any) -> None:
        nonlocal sent
        sent += 1
        if sent % 2 and case.meta is not None and case.meta.generation.mode.is_positive:
            point(case, there)
        case.call_and_validate(
            headers=schema.config.headers,
            additional_checks=[fits_and_is_refused_by_the_engine_alone],
        )

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
    method: str, path: str, there: dict[str, Any]
) -> None:
    fuzz("admin", method, path, there)


@pytest.mark.parametrize("scope", ["app", "user"])
@pytest.mark.parametrize(("method", "path"), ALL)
def test_others_are_answered_as_described_whatever_is_sent(
    method: str, path: str, scope: Literal["app", "user"], there: dict[str, Any]
) -> None:
    fuzz(scope, method, path, there)
