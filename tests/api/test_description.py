"""What schemathesis found once: each in a test of its own."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from longterm.api.wire.shapes import In
from tests.api.checks import good, problem
from tests.api.described import ROOT
from tests.api.schemas import flaws

TYPES = [None, True, False, 0, 1, 2.5, "", "1", "true", "no", "2026", [], ["1"], {}, {"1": 1}]
BIGINT = 2**63 - 1


@pytest.mark.parametrize(
    "path", ["/api/memories/document", "/api/memories/extract", "/api/conversations/current"]
)
async def test_a_wrong_method_at_a_fixed_path_is_not_taken_for_an_id(
    http: httpx.AsyncClient, path: str
) -> None:
    answer = await http.put(path, json={})

    options = await http.options(path)
    problem(answer, 405)
    assert "PUT" not in answer.headers["allow"]
    assert options.headers["allow"] == answer.headers["allow"]


async def test_a_whole_number_with_a_decimal_point_is_an_integer(http: httpx.AsyncClient) -> None:
    place = {"user_id": "ada", "place_id": "home", "place_name": "Home"}
    good(await http.post("/api/places", json=place), 201)
    mention = {"user_id": "ada", "conversation_id": "c"}

    first = await http.post("/api/places/home/mentions", json={**mention, "message_id": 42.0})
    wrong = await http.post("/api/places/home/mentions", json={**mention, "message_id": True})

    assert first.is_success, first.text
    problem(wrong, 422)


def shapes(base: type[In] = In) -> Iterator[type[In]]:
    for one in base.__subclasses__():
        yield one
        yield from shapes(one)


@pytest.mark.parametrize("shape", list(shapes()), ids=lambda shape: shape.__name__)
def test_a_member_of_another_type_is_refused(shape: type[In]) -> None:
    schema = shape.model_json_schema()
    body: dict[str, Any] = schema["examples"][0]

    shape.model_validate(body)
    for name, described in schema["properties"].items():
        for wrong in TYPES:
            if any(flaws(wrong, described, schema)):
                with pytest.raises(ValidationError):
                    shape.model_validate({**body, name: wrong})


def test_bounds_of_integers_are_told_exactly() -> None:
    shapes = ROOT["components"]["schemas"]
    options = shapes["NewTenant"]["properties"]["tenant_id"]["anyOf"]

    assert options[0]["maximum"] == BIGINT
    assert all(isinstance(options[0][name], int) for name in ("minimum", "maximum"))


def test_headers_are_described_with_what_is_allowed_in_them() -> None:
    parameters = {
        one["name"]: one["schema"] for one in ROOT["paths"]["/chat"]["post"]["parameters"]
    }

    assert parameters["X-Longterm-Tenant"]["pattern"] == "^[0-9]{1,19}$"
    assert parameters["Idempotency-Key"]["pattern"] == "^[!-~]{1,255}$"
