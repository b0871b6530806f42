"""b9: logs carry tenant, user, conversation and operation, and never what was said."""

import io
import json
import logging
from dataclasses import replace

import pytest

from longterm import AsyncTenant, MemoryNotFoundError
from longterm.observe import log
from longterm.observe.metrics import Metrics
from longterm.records.scope import Scope
from longterm.runtime import Runtime

SECRET_WORDS = "nobody else should read this"


@pytest.fixture
def metrics() -> Metrics:
    """Where nothing of another test is counted."""
    return Metrics()


@pytest.fixture
def counted(runtime: Runtime, tenant_id: int, metrics: Metrics) -> AsyncTenant:
    return AsyncTenant(replace(runtime.parts, metrics=metrics), Scope(tenant_id))


async def test_an_event_carries_the_context_of_its_operation(
    mem: AsyncTenant, lines: io.StringIO, tenant_id: int
) -> None:
    with log.context(operation="add_message", tenant=tenant_id, user="ada", conversation=None):
        log.get_logger("longterm.test").warning("something happened", error="Gone")

    event = json.loads(lines.getvalue().splitlines()[-1])
    assert event["event"] == "something happened"
    assert event["level"] == "warning"
    assert event["logger"] == "longterm.test"
    assert (event["operation"], event["tenant"], event["user"]) == ("add_message", tenant_id, "ada")
    assert event["error"] == "Gone"
    assert "conversation" not in event
    assert event["timestamp"].endswith("Z")


async def test_no_message_content_is_ever_logged(mem: AsyncTenant, lines: io.StringIO) -> None:
    session = await mem.create_session("ada")
    await mem.add_message("ada", "user", SECRET_WORDS)
    await mem.store_turn(session, "ada", SECRET_WORDS, SECRET_WORDS, {"note": SECRET_WORDS})
    await mem.set_memory("ada", "key", {"words": SECRET_WORDS})
    await mem.get_conversation_history("ada")
    await mem.cleanup()

    assert SECRET_WORDS not in lines.getvalue()


async def test_no_log_line_tells_to_whom_a_receipt_belongs(
    mem: AsyncTenant, lines: io.StringIO, tenant_id: int
) -> None:
    await mem.add_message("ada", "user", "hello")

    receipt = await mem.forget_user("ada")

    (event,) = [json.loads(line) for line in lines.getvalue().splitlines() if "forgotten" in line]
    assert (event["tenant"], event["rows"]) == (tenant_id, sum(receipt.counts.values()))
    assert "ada" not in event.values()
    assert receipt.id not in lines.getvalue()


async def test_operations_are_counted_and_timed(counted: AsyncTenant, metrics: Metrics) -> None:
    def value(name: str, **labels: str) -> float | None:
        return metrics.registry.get_sample_value(name, labels)

    await counted.add_message("ada", "user", "hello")
    with pytest.raises(MemoryNotFoundError):
        await counted.delete_message(2**60)

    missing = {"operation": "delete_message", "error": "MemoryNotFoundError"}
    assert value("longterm_messages_stored_total") == 1
    assert value("longterm_operation_seconds_count", operation="add_message") == 1
    assert value("longterm_operation_errors_total", **missing) == 1


async def test_turns_of_chat_are_counted_as_stored(counted: AsyncTenant, metrics: Metrics) -> None:
    """b9"""
    await counted.chat("ada", "What do you know?")
    await counted.chat("ada", "What do you know?", memory=False)

    names = ("messages_stored", "turns_stored", "turns_failed")
    found = [metrics.registry.get_sample_value(f"longterm_{name}_total") for name in names]
    assert found == [2, 1, 0]


async def test_secrets_are_masked_in_every_value_that_is_logged(lines: io.StringIO) -> None:
    """c7: also in a text of a vendor's that repeats the key it was sent."""
    key = "sk-proj-abcDEF1234567890abcDEF1234567890abcDEF12"

    log.get_logger("longterm.test").error("not answered", error=f"Incorrect API key: {key}")
    logging.getLogger("somebody.else").error("Incorrect API key: %s", key)

    said = [line for line in lines.getvalue().splitlines() if "Incorrect API key" in line]
    assert len(said) == 2
    assert key not in lines.getvalue()
