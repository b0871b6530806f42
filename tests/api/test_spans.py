"""b9: where OpenTelemetry is configured, one request is one trace, down to its job and its model."""

import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from fastapi import FastAPI

from longterm import Settings
from longterm.api.app import create_app
from longterm.observe import trace, tracing
from longterm.providers.scripted import ScriptedModel
from longterm.runtime import Runtime
from tests.api.conftest import a_client
from tests.collector import Collector, collecting
from tests.memory.taught import facts

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SAID = "My secret garden is in Porto."
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
GIVEN = {"traceparent": f"00-{TRACE_ID}-00f067aa0ba902b7-01"}


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as running:
        monkeypatch.setenv(ENDPOINT, running.url)
        yield running


@pytest.fixture
async def recorded(
    collector: Collector, new_database: Callable[[str], str]
) -> AsyncIterator[FastAPI]:
    """An application whose steps are sent to the collector when it ends, at the latest."""
    model = ScriptedModel(lambda prompt: "Nice." if prompt.purpose == "chat" else facts())
    runtime = Runtime(Settings(database_url=new_database("spans"), worker=False), llm=model)
    app = create_app(runtime)
    async with app.router.lifespan_context(app):
        yield app


async def chat(app: FastAPI, headers: dict[str, str] | None = None) -> int:
    async with a_client(app) as http:
        body = {"message": SAID, "user_id": "ada"}
        answer = await http.post("/api/chat", json=body, headers=headers)
        await http.get("/readyz")
    runtime: Runtime = app.state.process.runtime
    await runtime.worker().drain()
    await runtime.close()
    await runtime.open()
    return answer.status_code


async def test_one_chat_is_one_trace_with_its_recall_its_jobs_and_its_model_calls(
    recorded: FastAPI, collector: Collector
) -> None:
    """b9"""
    assert await chat(recorded) == 200

    request = collector.named("POST /api/chat")
    names = {span.name for span in collector.spans if span.trace_id == request.trace_id}
    assert names >= {
        *("POST /api/chat", "chat", "answer", "recall total", "recall words", "recall embed"),
        *("chat scripted:model", "digest", "index", "learn", "extract scripted:model"),
    }
    assert request.parent_span_id == b""
    assert collector.services == {"longterm"}
    assert not [span.name for span in collector.spans if "readyz" in span.name]


async def test_each_step_is_below_the_one_that_asked_for_it(
    recorded: FastAPI, collector: Collector
) -> None:
    await chat(recorded, GIVEN)

    def above(name: str) -> bytes:
        return collector.named(name).parent_span_id

    request, answer = collector.named("POST /api/chat"), collector.named("answer")
    assert request.trace_id.hex() == TRACE_ID
    assert request.parent_span_id.hex() == "00f067aa0ba902b7"
    assert above("chat") == request.span_id
    assert above("answer") == collector.named("chat").span_id
    assert above("recall total") == above("chat scripted:model") == answer.span_id


async def test_a_model_call_tells_its_tokens_and_nothing_tells_what_was_said(
    recorded: FastAPI, collector: Collector
) -> None:
    await chat(recorded)

    call = collector.named("chat scripted:model")
    told = {each.key: each.value for each in call.attributes}
    assert told["gen_ai.usage.input_tokens"].int_value > 0
    assert told["gen_ai.usage.output_tokens"].int_value > 0
    assert told["gen_ai.request.model"].string_value == "scripted:model"
    assert not any(b"Porto" in body or b"Nice." in body for body in collector.bodies)


async def test_a_step_that_fails_is_marked_with_the_kind_of_its_error(
    recorded: FastAPI, collector: Collector
) -> None:
    tracer = recorded.state.process.runtime.tracer

    with pytest.raises(ValueError, match="Porto"), tracer.step("doomed", {"tenant": 1}):
        raise ValueError(SAID)
    await recorded.state.process.runtime.close()
    await recorded.state.process.runtime.open()

    doomed = collector.named("doomed")
    told = {each.key: each.value.string_value for each in doomed.attributes}
    assert (doomed.status.code, told["error.type"]) == (2, "ValueError")
    assert doomed.status.message == ""
    assert trace.current() is None


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {ENDPOINT: ""},
        {ENDPOINT: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
        {ENDPOINT: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_nothing_is_recorded_unless_it_is_asked_for(environ: dict[str, str]) -> None:
    assert tracing.choose(environ) is tracing.OFF


def test_a_missing_extra_is_told_once_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delitem(sys.modules, "longterm.observe.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)

    with caplog.at_level(logging.WARNING):
        chosen = tracing.choose({ENDPOINT: "http://127.0.0.1:1"})

    assert chosen is tracing.OFF
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "pip install 'longterm[otel]'" in caplog.text


def test_opentelemetry_is_not_loaded_where_nobody_asks_for_it() -> None:
    program = (
        "import sys, longterm, longterm.api.app\n"
        "from longterm.observe import tracing\n"
        "tracing.choose({})\n"
        # Its API comes with FastAPI; what records and sends is the extra.
        "wanted = ('opentelemetry.sdk', 'opentelemetry.exporter', 'longterm.observe.otel')\n"
        "print([name for name in sys.modules if name.startswith(wanted)])\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
