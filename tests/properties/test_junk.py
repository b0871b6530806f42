"""SPEC 4: whatever an operation is given, it answers, or refuses with an error of ours."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from longterm import LongtermError, Tenant
from tests.arguments import Target, a_target, arguments, operations, parameters

junk = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([0, -1, 2**31, 2**63, 10**400, -(10**4000)]),
        st.floats(),
        st.text(),
        st.text(st.sampled_from("\x00\ud800\udfff \n%_\\'\"{}0٣é😀")),
        st.binary(),
        st.datetimes(),
        st.datetimes(timezones=st.timezones()),
        st.timedeltas(),
        st.timedeltas(timedelta(0), timedelta(days=1)),
        st.uuids(),
        st.uuids().map(str),
        st.just("keep"),
        st.complex_numbers(),
        st.builds(object),
        st.just(print),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(
            st.one_of(st.text(max_size=3), st.integers(), st.none()), inner, max_size=3
        ),
    ),
    max_leaves=5,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An operation with some of its arguments replaced by anything at all."""
    operation = draw(st.sampled_from(operations()))
    names = parameters(operation)
    replaced = draw(st.sets(st.sampled_from(names))) if names else set[str]()
    return operation, {name: draw(junk) for name in sorted(replaced)}


@settings(max_examples=300)
@given(call=calls(), data=st.data())
def test_junk_is_answered_or_refused_with_an_error_of_ours(
    new_memory: Callable[[], Tenant], call: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    mem = new_memory()
    operation, replaced = call
    target = a_target()
    if data.draw(st.booleans()):
        target = _stored(mem)

    with suppress(LongtermError):
        getattr(mem, operation)(**{**arguments(operation, target), **replaced})


def _stored(mem: Tenant) -> Target:
    conversation = mem.create_conversation("ada")
    message_id = mem.add_message("ada", "user", "words")
    mem.set_template("template", "{{ a }}")
    fact = mem.add_fact("ada", "a fact")
    return Target("ada", conversation.id, mem.create_session("ada"), message_id, fact.id)
