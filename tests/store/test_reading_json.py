"""JSON from the database is read as Python reads it, whatever was stored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.store.rows import read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_was_written_is_read(value: object) -> None:
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r'"\ud800"', id="half a surrogate"),
        pytest.param("[" * 500 + "]" * 500, id="many levels"),
        pytest.param("1" * 400, id="a large number"),
        pytest.param('{"a": 1, "a": 2}', id="a name twice"),
        pytest.param("1e400", id="more than a number can be"),
    ],
)
def test_the_unusual_is_read_as_python_reads_it(text: str) -> None:
    assert read_json(text.encode()) == json.loads(text)
