"""A body is passed on byte for byte, with messages put between and nothing else changed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.errors import InvalidInputError
from longterm.proxy import body

BLANKS = st.text(" \t\r\n", max_size=2)
NUMBERS = st.sampled_from(["1", "-0.0", "1e400", "0.10000000000000000555", "9" * 40, "1E-2"])
VALUES = st.one_of(
    NUMBERS,
    st.sampled_from(["null", "true", '"\\u00e9\\ud83d\\ude00"', '"a,]}[{\\""', "[]", "{}"]),
    st.builds(json.dumps, st.text(max_size=5)),
)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A body as somebody may write it, and its messages as they are written."""
    items: list[str] = draw(
        st.lists(st.builds('{{"role": "user", "content": {}}}'.format, VALUES), max_size=4)
    )
    listed = "[" + ",".join(f"{draw(BLANKS)}{item}{draw(BLANKS)}" for item in items) + "]"
    members = [f'"key{number}"{draw(BLANKS)}:{draw(BLANKS)}{draw(VALUES)}' for number in range(3)]
    members.insert(draw(st.integers(0, 3)), f'"messages"{draw(BLANKS)}:{draw(BLANKS)}{listed}')
    separator = f"{draw(BLANKS)},{draw(BLANKS)}"
    return f"{draw(BLANKS)}{{{separator.join(members)}}}{draw(BLANKS)}", items


@given(bodies(), st.data())
def test_what_is_put_in_can_be_taken_out_and_leaves_the_bytes_that_came(
    given_: tuple[str, list[str]], data: st.DataObject
) -> None:
    text, items = given_
    read = body.read(text.encode())
    chosen = data.draw(st.sets(st.integers(0, len(items) - 1)) if items else st.just(set[int]()))
    ours = {"role": "system", "content": 'Grüße, ["ours"] '}

    sent = read.encoded([(number, ours) for number in sorted(chosen)]).decode()

    assert read.encoded() == text.encode()
    assert sent.replace(json.dumps(ours, ensure_ascii=False) + ",", "") == text
    expected: list[Any] = []
    for number, item in enumerate(items):
        expected += [ours, json.loads(item)] if number in chosen else [json.loads(item)]
    assert json.loads(sent)["messages"] == expected
    assert read.messages == [json.loads(item) for item in items]


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"[]", b"1", b"{", b"{]", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{"a":1}x', b"\xff",
        b'{a:1}', b'{"a" 1}', b'{"a":1 "b":2}', b'{1:2}', b'{"messages":[1', b'{"a":' + b"[" * 100_000,
    ],
    ids=lambda raw: repr(raw[:12]),
)  # fmt: skip
def test_what_is_no_json_object_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidInputError, match="JSON object"):
        body.read(raw)


@pytest.mark.parametrize("raw", [b"{}", b'{"messages": null}', b'{"messages": 5}', b' {"a":"["} '])
def test_a_body_without_messages_is_passed_on(raw: bytes) -> None:
    read = body.read(raw)

    assert read.encoded() == raw
    assert list(read.messages) == []
