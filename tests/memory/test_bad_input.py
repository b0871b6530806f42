"""SPEC 4: bad input is refused with one sentence, before anything is written."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from longterm import AsyncLongterm, AsyncTenant, InvalidInputError, Longterm, Settings
from longterm.memory.inputs import Limits
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.arguments import Target, arguments, operations, parameters
from tests.memory import bad, bad_made
from tests.outside import Raw, rows_of

# An agent's mistakes are answered and not raised: tests/memory/test_tool.py.
ANSWERED = "manage_user_memory"
CASES = [
    (operation, name)
    for operation in operations()
    for name in parameters(operation)
    if operation != ANSWERED
]

SAID_AS = {"variables": "variable", "conversations": "onversation"}


@pytest.fixture
async def target(mem: AsyncTenant) -> Target:
    """A user of whom something of everything is stored."""
    conversation = await mem.create_conversation("ada", "title")
    message_id = await mem.add_message("ada", "user", "words")
    session_id = await mem.create_session("ada")
    await mem.store_turn(session_id, "ada", "query", "response")
    await mem.set_memory("ada", "key", {"a": 1})
    await mem.set_user_state("ada", "active")
    await mem.set_template("template", "words")
    fact = await mem.add_fact("ada", "a fact")
    return Target("ada", conversation.id, session_id, message_id, fact.id)


def flaws(error: Exception | None, name: str) -> Iterator[str]:
    """What is wrong with the answer to bad input."""
    if not isinstance(error, InvalidInputError):
        yield f"it was answered with {type(error).__name__}"
        return
    sentence = str(error)
    if not sentence.endswith(".") or "\n" in sentence or not 15 < len(sentence) < 200:
        yield f"this is not one sentence: {sentence[:300]!r}"
    if SAID_AS.get(name, name) not in sentence:
        yield f"this does not say that it is about {name}: {sentence!r}"


async def refusal(mem: AsyncTenant, operation: str, given: dict[str, Any]) -> Exception | None:
    """The error that an operation answers with, if it does."""
    try:
        await getattr(mem, operation)(**given)
    except Exception as error:  # noqa: BLE001
        return error
    return None


@pytest.mark.parametrize(("operation", "name"), CASES, ids=[f"{o}-{n}" for o, n in CASES])
async def test_bad_input_is_refused_with_one_sentence_and_nothing_is_written(
    mem: AsyncTenant, target: Target, raw: Raw, tenant_id: int, operation: str, name: str
) -> None:
    """SPEC 4"""
    given = arguments(operation, target)
    before = await rows_of(raw, tenant_id)

    found: list[str] = []
    for label, value in bad.values(operation, name):
        error = await refusal(mem, operation, {**given, name: value})
        found += [f"{label}: {flaw}" for flaw in flaws(error, name)]

    assert found == []
    assert await rows_of(raw, tenant_id) == before


@pytest.mark.parametrize("operation", operations())
async def test_what_the_table_of_arguments_calls_good_is_accepted(
    mem: AsyncTenant, target: Target, operation: str
) -> None:
    """Otherwise the test above would prove nothing."""
    assert await refusal(mem, operation, arguments(operation, target)) is None


async def refused_payload(mem: AsyncTenant, payloads: dict[str, Any]) -> None:
    """Attach what may not be attached."""
    await mem.add_message("ada", "user", "words", **payloads)


@pytest.mark.parametrize("name", ["metadata", "tool_call", "", "tenant_id", "x" * 10_000])
async def test_a_payload_that_is_not_known_is_refused(
    mem: AsyncTenant, raw: Raw, tenant_id: int, name: str
) -> None:
    """d2"""
    with pytest.raises(InvalidInputError, match="it can carry tool_calls") as refused:
        await refused_payload(mem, {name: {"a": 1}})

    assert len(str(refused.value)) < 200
    assert not any((await rows_of(raw, tenant_id)).values())


@pytest.mark.parametrize("content", ["", " ", "\n"])
@pytest.mark.parametrize("payloads", [{}, {"tool_calls": None}, {"custom_payload": [1]}])
async def test_words_may_be_missing_only_where_tools_are_called(
    mem: AsyncTenant, content: str, payloads: dict[str, Any]
) -> None:
    """b3, d2"""
    with pytest.raises(InvalidInputError, match="content must not be blank"):
        await mem.add_message("ada", "assistant", content, **payloads)


async def test_trimming_needs_something_to_go_by(mem: AsyncTenant) -> None:
    """a7"""
    with pytest.raises(InvalidInputError, match="keep_last, or older_than, or both"):
        await mem.trim_history("ada")


@pytest.mark.parametrize("tenant_id", [-1, 2**63, True, 1.0, "1", b"1", object(), [1]])
def test_a_tenant_is_a_number_that_is_not_negative(tenant_id: Any) -> None:
    """a5"""
    with pytest.raises(InvalidInputError, match="tenant_id must be"):
        AsyncLongterm("postgresql://nowhere").tenant(tenant_id)


def test_a_tenant_is_no_number_that_python_cannot_write_out() -> None:
    """a5"""
    with pytest.raises(InvalidInputError, match="tenant_id must be"):
        AsyncLongterm("postgresql://nowhere").tenant(bad_made.huge())


@pytest.mark.parametrize("user_id", ["", " ", "x" * 256, "a\x00", "\ud800", 1, b"ada"])
def test_a_fixed_user_is_checked_before_the_database_hears_of_it(user_id: Any) -> None:
    """a5"""
    with pytest.raises(InvalidInputError, match="user_id must"):
        AsyncLongterm("postgresql://nowhere").tenant(1, user_id=user_id)


@pytest.mark.parametrize("extra", [0, 1])
async def test_a_message_may_have_as_many_bytes_as_the_limit_and_not_one_more(
    runtime: Runtime, tenant_id: int, extra: int
) -> None:
    """SPEC 4"""
    rules = replace(runtime.parts.rules, limits=Limits(message_bytes=10, json_bytes=10))
    mem = AsyncTenant(replace(runtime.parts, rules=rules), Scope(tenant_id))
    content, value = "é" * 5 + "x" * extra, {"a": 100 * 10**extra}

    if extra:
        with pytest.raises(InvalidInputError, match="at most 10 bytes; it has 11"):
            await mem.add_message("ada", "user", content)
        with pytest.raises(InvalidInputError, match="at most 10 bytes as JSON; it has 11"):
            await mem.set_memory("ada", "key", value)
    else:
        await mem.add_message("ada", "user", content)
        await mem.set_memory("ada", "key", value)

    assert await mem.count_messages("ada") == 1 - extra
    assert len(await mem.get_all_memory("ada")) == 1 - extra


def test_the_limits_are_settings(conninfo: str, tenant_id: int) -> None:
    """SPEC 4"""
    settings = Settings(max_message_bytes=3, max_json_bytes=2)

    with Longterm(conninfo, settings=settings) as lt:
        mem = lt.tenant(tenant_id)
        mem.add_message("ada", "user", "abc", tool_calls=[])
        with pytest.raises(InvalidInputError, match="at most 3 bytes"):
            mem.add_message("ada", "user", "abcd")
        with pytest.raises(InvalidInputError, match="at most 2 bytes"):
            mem.add_message("ada", "user", "abc", tool_calls=[1])

    assert (Settings().max_message_bytes, Settings().max_json_bytes) == (1_000_000, 1_000_000)


async def test_refused_words_are_not_repeated_in_the_refusal(mem: AsyncTenant) -> None:
    """b9: what users say does not go into logs by way of errors."""
    for call in (
        lambda: mem.add_message("ada", "user", "secret\x00"),
        lambda: mem.set_memory("ada", "key", {"secret": float("nan")}),
        lambda: mem.get_conversation("ada", "secret"),
        lambda: mem.list_conversations("ada", cursor="secret"),
    ):
        with pytest.raises(InvalidInputError) as refused:
            await call()
        assert "secret" not in str(refused.value)


async def test_a_time_that_is_only_just_possible_is_accepted(mem: AsyncTenant) -> None:
    """The bounds that the refusals are about are the right ones."""
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    for moment in (first, last):
        await mem.add_message("ada", "user", "words", created_at=moment)
    assert await mem.trim_history("ada", older_than=first) == 0
    made = await mem.create_conversation("ada", "t" * 255, retention=timedelta(microseconds=1))

    assert await mem.count_messages("ada") == 2
    assert made.retention_hours is not None
