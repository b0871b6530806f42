"""b9: W3C's `traceparent` is understood as its specification says."""

import pytest

from longterm.observe import trace
from longterm.observe.trace import Trace

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN_ID = "00f067aa0ba902b7"
GOOD = f"00-{TRACE_ID}-{SPAN_ID}-01"


@pytest.mark.parametrize("flags", ["00", "01"])
def test_what_was_read_is_written_as_it_came(flags: str) -> None:
    header = f"00-{TRACE_ID}-{SPAN_ID}-{flags}"

    read = trace.read(header)

    assert read == Trace(TRACE_ID, SPAN_ID, flags == "01")
    assert str(read) == header


def test_a_later_version_may_say_more() -> None:
    assert trace.read(f"cc-{TRACE_ID}-{SPAN_ID}-03-what-is-new") == Trace(TRACE_ID, SPAN_ID)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "",
        "nonsense",
        GOOD.upper(),
        f"{GOOD}-more",
        f"{GOOD}\n",
        f"ff-{TRACE_ID}-{SPAN_ID}-01",
        f"00-{'0' * 32}-{SPAN_ID}-01",
        f"00-{TRACE_ID}-{'0' * 16}-01",
        f"00-{TRACE_ID[:-1]}-{SPAN_ID}-01",
    ],
)
def test_what_is_malformed_is_no_trace(bad: str | None) -> None:
    assert trace.read(bad) is None


def test_a_new_trace_is_one_that_others_can_read_and_nobody_else_has() -> None:
    one, other = trace.new(), trace.new()

    assert trace.read(str(one)) == one
    assert one.trace_id != other.trace_id


def test_no_trace_is_under_way_unless_somebody_began_one() -> None:
    before = trace.header()
    with trace.within(Trace(TRACE_ID, SPAN_ID)):
        inside = trace.header()

    assert (before, inside, trace.header()) == (None, GOOD, None)
