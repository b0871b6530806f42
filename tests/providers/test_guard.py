"""Time limits, retries, the circuit breaker, the limit to calls at once, and the reports."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.providers.guard import CallReport, Guard, Guarded
from longterm.providers.model import Answer, Prompt, Said
from longterm.providers.scripted import Line, Reply, Script, ScriptedModel
from tests.providers.stages import SHORT_S, a_prompt

GONE = ModelGoneError("away")
REFUSED = ModelRefusedError("no")


@dataclass
class Times:
    """A clock that moves only when somebody sleeps, or when it is told to."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Case:
    """A guarded model that says what a script says."""

    model: ScriptedModel
    guarded: Guarded
    times: Times
    reports: list[CallReport]


def a_case(
    *replies: Reply,
    script: Script | None = None,
    timeout_s: float = 20.0,
    max_at_once: int = 8,
    retries: int = 2,
) -> Case:
    times = Times()
    reports: list[CallReport] = []
    guard = Guard(
        timeout_s=timeout_s,
        max_at_once=max_at_once,
        retries=retries,
        on_call=reports.append,
        clock=lambda: times.now,
        sleep=times.sleep,
        jitter=lambda: 1.0,
    )
    model = ScriptedModel(script or replies)
    return Case(model, Guarded(model, guard), times, reports)


async def words(model: Guarded) -> list[str | Answer]:
    return [piece async for piece in model.stream(a_prompt())]


async def test_what_is_gone_is_asked_again_after_longer_and_longer_waits() -> None:
    case = a_case(GONE, GONE, "Here.")

    answer = await case.guarded.answer(a_prompt())

    assert answer.text == "Here."
    assert case.times.slept == [0.5, 1.0]
    assert [report.outcome for report in case.reports] == ["gone", "gone", "ok"]


async def test_after_the_last_retry_the_error_stands() -> None:
    case = a_case(GONE, GONE, GONE, "too late")

    with pytest.raises(ModelGoneError, match="away"):
        await case.guarded.answer(a_prompt())

    assert case.model.calls == 3


async def test_what_is_refused_is_not_asked_again() -> None:
    case = a_case(REFUSED, "never asked")

    with pytest.raises(ModelRefusedError):
        await case.guarded.answer(a_prompt())

    assert case.model.calls == 1
    assert [report.outcome for report in case.reports] == ["refused"]


@pytest.mark.parametrize(("asked_s", "waited_s"), [(7.0, 7.0), (0.1, 0.5), (3600.0, 30.0)])
async def test_a_vendors_wish_to_wait_is_honoured_within_bounds(
    asked_s: float, waited_s: float
) -> None:
    case = a_case(ModelGoneError("busy", retry_after_s=asked_s), "Here.")

    await case.guarded.answer(a_prompt())

    assert case.times.slept == [waited_s]


async def test_jitter_shortens_the_wait_by_half_at_most() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    model = ScriptedModel([GONE, "Here."])
    await Guarded(model, Guard(sleep=sleep, jitter=lambda: 0.0)).answer(a_prompt())

    assert waits == [0.25]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_call_that_takes_too_long_is_gone(streamed: bool) -> None:
    case = a_case(script=lambda _: Line(text="late", pause_s=5), timeout_s=SHORT_S, retries=0)

    with pytest.raises(ModelGoneError, match="in time"):
        await (words(case.guarded) if streamed else case.guarded.answer(a_prompt()))

    assert [report.outcome for report in case.reports] == ["gone"]


async def test_the_limit_of_a_stream_is_for_each_piece_and_not_for_the_reader() -> None:
    class AtOnce(ScriptedModel):
        """Waits for nothing, so that no machine is too slow for it."""

        async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
            yield prompt.instructions
            yield "two"
            yield "three"
            yield Answer(text="", model=self.name)

    heard: list[str | Answer] = []

    async for piece in Guarded(AtOnce([]), Guard(timeout_s=SHORT_S)).stream(a_prompt()):
        await asyncio.sleep(SHORT_S)
        heard.append(piece)

    assert len(heard) == 4


async def test_a_stream_is_begun_again_while_nothing_was_heard() -> None:
    case = a_case(GONE, "one two")

    assert [piece for piece in await words(case.guarded) if isinstance(piece, str)] == [
        "one",
        " two",
    ]


async def test_a_stream_that_broke_after_its_first_piece_is_not_begun_again() -> None:
    case = a_case(Line(text="one two", error=GONE), "one two three")

    with pytest.raises(ModelGoneError, match="away"):
        await words(case.guarded)

    assert case.model.calls == 1


async def test_a_stream_without_an_answer_at_its_end_is_gone() -> None:
    class Unfinished(ScriptedModel):
        async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
            yield prompt.instructions

    with pytest.raises(ModelGoneError, match="broke off"):
        await words(Guarded(Unfinished([])))


async def test_five_failures_in_a_row_open_the_circuit_for_thirty_seconds() -> None:
    case = a_case(*[GONE] * 5, "back", retries=0)
    for _ in range(5):
        with pytest.raises(ModelGoneError, match="away"):
            await case.guarded.answer(a_prompt())

    case.times.now += 29
    with pytest.raises(ModelGoneError, match="again in 1 s") as caught:
        await case.guarded.answer(a_prompt())

    assert caught.value.retry_after_s == pytest.approx(1)
    assert case.model.calls == 5
    assert len(case.reports) == 5, "a call that was not made is not reported"
    assert case.times.slept == []


async def test_an_open_circuit_lets_one_call_try_and_closes_when_it_succeeds() -> None:
    replies = [GONE] * 5 + [Line(text="back", pause_s=0.05)] + ["well"] * 9
    case = a_case(*replies, retries=0)
    await fail(case, 5)
    case.times.now += 31

    results = await asyncio.gather(
        *(case.guarded.answer(a_prompt()) for _ in range(4)), return_exceptions=True
    )

    assert [type(result) for result in results] == [Answer, *[type(results[1])] * 3]
    assert isinstance(results[1], ModelGoneError)
    assert case.model.calls == 6
    assert (await case.guarded.answer(a_prompt())).text == "well"


async def test_a_trial_that_fails_opens_the_circuit_again_at_once() -> None:
    case = a_case(*[GONE] * 9, retries=0)
    await fail(case, 5)
    case.times.now += 31

    await fail(case, 1)

    with pytest.raises(ModelGoneError, match="again in 30 s"):
        await case.guarded.answer(a_prompt())
    assert case.model.calls == 6


async def test_a_cancelled_trial_leaves_the_next_call_to_try() -> None:
    case = a_case(*[GONE] * 5, Line(text="never", pause_s=60), "back", retries=0)
    await fail(case, 5)
    case.times.now += 31

    trial = asyncio.create_task(case.guarded.answer(a_prompt()))
    await asyncio.sleep(0.01)
    trial.cancel()
    await asyncio.wait([trial])

    assert (await case.guarded.answer(a_prompt())).text == "back"


async def test_the_retries_of_one_call_stop_when_the_circuit_opens() -> None:
    case = a_case(*[GONE] * 9, retries=8)

    with pytest.raises(ModelGoneError, match="away"):
        await case.guarded.answer(a_prompt())

    assert case.model.calls == 5


async def test_a_refusal_or_an_answer_begins_the_count_anew() -> None:
    case = a_case(*[GONE] * 4, REFUSED, *[GONE] * 4, "well", retries=0)

    await fail(case, 4)
    with pytest.raises(ModelRefusedError):
        await case.guarded.answer(a_prompt())
    await fail(case, 4)

    assert (await case.guarded.answer(a_prompt())).text == "well"


@pytest.mark.parametrize("streamed", [False, True])
async def test_no_more_calls_run_at_once_than_allowed(streamed: bool) -> None:
    running = most = 0

    class Counting(ScriptedModel):
        async def answer(self, prompt: Prompt) -> Answer:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.005)
            running -= 1
            return await super().answer(prompt)

        async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
            yield await self.answer(prompt)

    guarded = Guarded(Counting(["x"] * 12), Guard(max_at_once=3, max_streams=3))
    await asyncio.gather(
        *(words(guarded) if streamed else guarded.answer(a_prompt()) for _ in range(12))
    )

    assert most == 3


async def test_a_stream_that_is_left_gives_its_place_back_and_is_reported() -> None:
    case = a_case("one two three", "next", max_at_once=1)

    async with aclosing(case.guarded.stream(a_prompt())) as pieces:
        await anext(pieces)

    assert (await case.guarded.answer(a_prompt())).text == "next"
    assert [report.outcome for report in case.reports] == ["cancelled", "ok"]


async def test_a_report_says_which_model_for_what_how_long_and_how_much() -> None:
    times = Times()

    def reply(_: Prompt) -> str:
        times.now += 2.5
        return "Hello Ada."

    reports: list[CallReport] = []
    guard = Guard(clock=lambda: times.now, on_call=reports.append)
    model = ScriptedModel(reply, name="scripted:big")
    said = (Said(by="user", text="Hello."),)

    await Guarded(model, guard).answer(Prompt(instructions="", messages=said, purpose="extract"))

    (report,) = reports
    assert (report.model, report.purpose, report.outcome) == ("scripted:big", "extract", "ok")
    assert report.seconds == pytest.approx(2.5)
    assert report.usage == model.usage
    assert report.usage.tokens > 0


async def fail(case: Case, times: int) -> None:
    for _ in range(times):
        with pytest.raises(ModelGoneError, match="away"):
            await case.guarded.answer(a_prompt())
