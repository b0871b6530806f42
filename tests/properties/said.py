"""What people and programs say, aimed at what breaks: blanks, long text, rare characters."""

import sys
from typing import Any, TypeAlias

from hypothesis import strategies as st

Json: TypeAlias = Any

LONGEST = 100_000

# Python's own list of blank characters, which is longer than ASCII's.
BLANKS = [chr(code) for code in range(1, sys.maxunicode + 1) if chr(code).isspace()]

# What PostgreSQL's text can hold: no NUL, and no half of a pair.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")

blank = st.text(st.sampled_from(BLANKS), max_size=5)

_awkward = st.sampled_from(
    [
        "\u200b",
        "\ufeff",
        "\x01",
        "%s %(tenant_id)s",
        "'; DROP TABLE messages; --",
        "\\ \\' \\\\",
        "null",
        "😀" * 1000,
        "\U0010ffff",
        "x" * LONGEST,
        "e\u0301\u0301",
        "\u202e right to left",
    ]
)

words = st.one_of(
    st.text(characters, min_size=1, max_size=200),
    _awkward,
    st.builds("{}{}{}".format, blank, _awkward, blank),
).filter(lambda text: bool(text.strip()))

user_ids = st.one_of(
    st.text(characters, min_size=1, max_size=255),
    st.sampled_from(["a", "x" * 255, "😀" * 255, " a", "o'neil\\", "%s", "0"]),
).filter(lambda text: bool(text.strip()))

_numbers = st.one_of(
    st.integers(),
    st.integers(-(2**9_999), 2**9_999),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, 1, True, False, 0.0, -0.0, 1.0, 1e22, 1e-7, 2**53 + 1, 2**63, 5e-324]),
)

_leaves = st.one_of(st.none(), st.booleans(), _numbers, st.text(characters))

json_values: st.SearchStrategy[Json] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(characters), inner, max_size=5)
    ),
    max_leaves=20,
)

json_objects = st.dictionaries(st.text(characters), json_values, max_size=5)


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal in their types and in the order of their keys too."""
    # 1 == 1.0 == True, 0.0 == -0.0 and {a, b} == {b, a} for Python, but not for their text.
    return repr(one) == repr(other)
