"""What is saved of a model's answer, and what is not taken for one."""

import json
import time
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from longterm.providers.structured import NotJsonError, items, validated

TWO = '[{"key": "name", "value": "Ada"}, {"key": "city", "value": "Turin"}]'
BOTH = json.loads(TWO)


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        f'{{"facts": {TWO}}}',
        f'{{"thoughts": "Two {{facts}} [1].", "facts": {TWO}, "more": 1}}',
        f"```json\n{TWO}\n```",
        f'Here you are:\n```\n{{"facts": {TWO}}}\n```\nAnything else?',
        f'Sure! The facts [1] and {{these}} are: {{"facts": {TWO}}} I hope it helps.',
        f"I found these: {TWO}. That is all [2].",
        f'```json\n{{"facts": {TWO}}}',
        f'{{"facts": {TWO[:-1]},]}}',
        f"  \n{TWO}\n",
    ],
)
def test_the_list_is_found_however_it_is_wrapped(text: str) -> None:
    assert items(text, "facts") == BOTH


@pytest.mark.parametrize("text", ["[]", '{"facts": []}', '```json\n{"facts": [ ]}\n```'])
def test_an_empty_list_is_an_empty_list(text: str) -> None:
    assert items(text, "facts") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I'm sorry, I can't help with that.",
        "There are none [] and none [1].",
        '{"facts": ',
        '{"facts": [',
        '{"facts": [{"key": "na',
        '{"facts": null}',
        '{"facts": "none"}',
        '{"other": []}',
        '{"error": "overloaded"}',
        "null",
        "42",
        "[citation needed] is what I would say.",
        "{" * 5000,
        "[" * 200_000,
        '{"facts": ' + "[" * 200_000,
        '{"a":' * 20_000,
        "[" + "9" * 10_000,
    ],
    ids=lambda text: text[:20] or "nothing",
)
def test_nonsense_is_not_an_empty_list(text: str) -> None:
    with pytest.raises(NotJsonError) as caught:
        items(text, "facts")

    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == "The answer holds no JSON list."


def test_a_cut_in_the_second_item_costs_the_second_item() -> None:
    text = f'{{"facts": {TWO}}}'

    for end in range(text.index(", {"), text.index("}]")):
        assert items(text[:end], "facts") == BOTH[:1]


def test_a_number_at_the_cut_is_not_trusted() -> None:
    assert items('{"facts": [1, 23', "facts") == [1]
    assert items('{"facts": [1, true', "facts") == [1]


def test_a_fence_inside_of_what_was_said_is_left_alone() -> None:
    said = {"facts": [{"value": 'uses ```json\n["tabs"]\n``` always'}]}

    assert items(json.dumps(said), "facts") == said["facts"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5), st.data())
def test_of_an_answer_cut_anywhere_a_beginning_is_kept(
    facts: list[object], data: st.DataObject
) -> None:
    text = json.dumps({"facts": facts})
    cut = data.draw(st.integers(min_value=0, max_value=len(text)))

    try:
        found = items(text[:cut], "facts")
    except NotJsonError:
        return

    assert found == facts[: len(found)]


def test_hostile_text_takes_no_time() -> None:
    # Of this thread alone: others have nothing to do with it.
    started = time.thread_time()

    for hostile in ('{"a": [' * 50_000, '[{"' * 100_000, "```\n" * 100_000, "[ " * 300_000):
        with pytest.raises(NotJsonError):
            items(hostile, "facts")

    # 0.2 s are measured; in the square of the length it would be many minutes.
    assert time.thread_time() - started < 60


class Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    category: Literal["identity", "preference"]
    value: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1)


GOOD = {"category": "identity", "value": "Ada", "confidence": 0.9}


def test_one_bad_item_costs_that_item() -> None:
    found: list[object] = [GOOD, {**GOOD, "confidence": 7}, "zebra", None, GOOD]

    good, reasons = validated(found, Fact)

    assert good == [Fact.model_validate(GOOD)] * 2
    assert [reason.split(":")[0] for reason in reasons] == ["item 2", "item 3", "item 4"]


def test_reasons_name_the_field_and_nothing_of_the_content() -> None:
    bad = {"category": "zebra", "value": "", "confidence": "zebra", "zebra_of_aunt": "zebra"}

    _, reasons = validated([bad], Fact)

    assert reasons == [
        "item 1: a field extra_forbidden, category literal_error, "
        "confidence float_parsing, value string_too_short"
    ]
