"""a3, d2: JSON that is accepted comes back as it was, to the type of each number."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings

from longterm import Tenant
from longterm.text.secrets import gate
from tests.properties import said

CHANGED_BY_JSONB: list[dict[str, Any]] = [
    {"one": 1, "one point": 1.0, "yes": True, "text": "1"},
    {"large": 1e22, "larger": 1e308, "tiny": 5e-324, "third": 1 / 3},
    {"zero": 0, "negative": -0.0},
    {"exact": 2**53 + 1, "beyond": 2**64, "far beyond": -(10**3000)},
    {"z": 1, "a": 2, "m": {"b": 1, "a": 2}},
    {"": {"": [[], {}, ""]}},
    {"escapes": '\u2028\u2029\\u0000 \\ / " \x7f \x01', "😀": "\U0010ffff"},
]


@settings(max_examples=100)
@given(value=said.json_objects)
def test_key_value_memory_comes_back_as_it_was(
    new_memory: Callable[[], Tenant], value: dict[str, Any]
) -> None:
    # Hypothesis tries words of our code, too: {"PIN": 1234} is refused.
    assume(gate.kind_in_json(("key",), value) is None)
    mem = new_memory()

    mem.set_memory("ada", "key", value)

    got = mem.get_memory("ada", "key")
    (listed,) = mem.get_all_memory("ada")
    assert said.same(got, value)
    assert said.same(listed.value, value)


@settings(max_examples=100)
@given(value=said.json_values)
def test_payloads_come_back_as_they_were(new_memory: Callable[[], Tenant], value: Any) -> None:
    mem = new_memory()

    mem.add_message(
        "ada",
        "assistant",
        "words",
        tool_calls=value,
        suggested_values=value,
        suggested_actions=value,
        custom_payload=value,
    )

    (message,) = mem.get_conversation_history("ada")
    assert said.same(message.tool_calls, value)
    assert said.same(message.suggested_values, value)
    assert said.same(message.suggested_actions, value)
    assert said.same(message.custom_payload, value)


@settings(max_examples=100)
@given(value=said.json_objects)
def test_metadata_comes_back_as_it_was(
    new_memory: Callable[[], Tenant], value: dict[str, Any]
) -> None:
    mem = new_memory()
    session_id = mem.create_session("ada")

    made = mem.create_conversation("ada", metadata=value)
    turn = mem.store_turn(session_id, "ada", "question", "answer", value)

    (stored,) = mem.get_session_history(session_id)
    assert said.same(made.metadata, value)
    assert said.same(mem.get_conversation("ada", made.id).metadata, value)
    assert said.same(turn.metadata, value)
    assert said.same(stored.metadata, value)


@pytest.mark.parametrize("value", CHANGED_BY_JSONB)
def test_what_jsonb_would_change_comes_back_as_it_was(
    new_memory: Callable[[], Tenant], value: dict[str, Any]
) -> None:
    mem = new_memory()

    mem.set_memory("ada", "key", value)

    assert said.same(mem.get_memory("ada", "key"), value)


def test_64_levels_are_kept_and_65_are_not_asked_of_anybody(
    new_memory: Callable[[], Tenant],
) -> None:
    mem, value = new_memory(), dict[str, Any]()
    for _ in range(63):
        value = {"deeper": value}

    mem.set_memory("ada", "key", value)

    assert mem.get_memory("ada", "key") == value


def test_a_tuple_comes_back_as_the_list_that_json_has_for_it(
    new_memory: Callable[[], Tenant],
) -> None:
    mem = new_memory()

    mem.set_memory("ada", "key", {"pair": (1, (2.0,))})

    assert mem.get_memory("ada", "key") == {"pair": [1, [2.0]]}
