"""What holds for every language model and every embedder, whoever makes it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

import numpy as np
import pytest

from longterm.providers.embedder import Embedder
from longterm.providers.local import LocalEmbedder
from longterm.providers.model import Answer, ChatModel, Prompt, Said, ToolCall, ToolSpec
from longterm.providers.scripted import ScriptedEmbedder
from tests.providers.shapes import Says
from tests.providers.stages import SCHEMA, VENDORS, Stage, a_prompt, a_stage, an_embedder
from tests.providers.vendor_server import VendorServer

MODELS = [*VENDORS, "scripted"]
EMBEDDERS = ["local", "openai", "openai-compatible", "ollama", "scripted"]

TOOL = ToolSpec(
    name="look_up",
    description="Look something up.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}},
)


@pytest.fixture(params=[*MODELS, *(f"guarded-{kind}" for kind in MODELS)])
def stage(
    request: pytest.FixtureRequest, server: VendorServer, vendors: Mapping[str, ChatModel]
) -> Stage:
    return a_stage(request.param, server, vendors)


@pytest.fixture(params=EMBEDDERS)
async def embedder(
    request: pytest.FixtureRequest, server: VendorServer, local: LocalEmbedder
) -> AsyncIterator[Embedder]:
    if request.param == "local":
        yield local
        return
    scripted = request.param == "scripted"
    embedder = ScriptedEmbedder() if scripted else await an_embedder(request.param, server)
    yield embedder
    await embedder.close()


async def collect(stage: Stage, prompt: Prompt) -> tuple[list[str], Answer]:
    """The words of a stream, and the answer that must come last."""
    pieces = [piece async for piece in stage.model.stream(prompt)]
    assert isinstance(pieces[-1], Answer)
    words = [piece for piece in pieces if isinstance(piece, str)]
    assert len(words) == len(pieces) - 1
    return words, pieces[-1]


async def test_a_model_answers_and_says_what_it_took(stage: Stage) -> None:
    stage.will(Says("Hello Ada."))

    answer = await stage.model.answer(a_prompt())

    assert answer.text == "Hello Ada."
    assert answer.model == stage.model.name
    assert answer.tool_calls == ()
    assert answer.usage.prompt_tokens > 0
    assert answer.usage.answer_tokens > 0


async def test_the_pieces_of_a_stream_are_the_answer(stage: Stage) -> None:
    stage.will(Says("Hello Ada,\n  how are you today? "))

    words, answer = await collect(stage, a_prompt())

    assert len(words) > 1
    assert "".join(words) == answer.text == "Hello Ada,\n  how are you today? "
    assert answer.usage.prompt_tokens > 0
    assert answer.usage.answer_tokens > 0


async def test_a_structured_answer_is_json_text(stage: Stage) -> None:
    stage.will(Says('{"facts": ["one", "two"]}'))
    prompt = Prompt(
        instructions="Extract.", messages=a_prompt().messages, answer_schema=SCHEMA, max_tokens=50
    )

    answer = await stage.model.answer(prompt)

    assert json.loads(answer.text) == {"facts": ["one", "two"]}
    assert answer.tool_calls == ()


async def test_a_structured_answer_can_be_streamed(stage: Stage) -> None:
    stage.will(Says('{"facts": ["one", "two"]}'))
    prompt = Prompt(instructions="", messages=a_prompt().messages, answer_schema=SCHEMA)

    words, answer = await collect(stage, prompt)

    assert "".join(words) == answer.text
    assert json.loads(answer.text) == {"facts": ["one", "two"]}


@pytest.mark.parametrize("streamed", [False, True])
async def test_tool_calls_come_with_the_answer(stage: Stage, streamed: bool) -> None:
    stage.will(Says("Let me see.", calls=(("call_7", "look_up", '{"word": "Ada"}'),)))
    prompt = Prompt(instructions="Help.", messages=a_prompt().messages, tools=(TOOL,))

    if streamed:
        _, answer = await collect(stage, prompt)
    else:
        answer = await stage.model.answer(prompt)

    (call,) = answer.tool_calls
    assert (call.id, call.name) == ("call_7", "look_up")
    assert json.loads(call.arguments) == {"word": "Ada"}
    assert answer.text == "Let me see."


async def test_arguments_that_were_cut_off_come_as_they_were_written(
    vendors: Mapping[str, ChatModel], server: VendorServer
) -> None:
    prompt = Prompt(instructions="", messages=a_prompt().messages, answer_schema=SCHEMA)
    cut = '{"facts": ["one", "tw'

    for vendor in VENDORS:
        # Anthropic sends arguments as text only in a stream.
        server.next.append(Says(cut))
        _, answer = await collect(Stage(vendors[vendor], server.next.append), prompt)
        assert answer.text == cut


async def test_the_result_of_a_tool_can_be_handed_back(stage: Stage) -> None:
    call = ToolCall(id="call_7", name="look_up", arguments='{"word": "Ada"}')
    prompt = Prompt(
        instructions="Help.",
        messages=(
            Said(by="user", text="Who is Ada?"),
            Said(by="assistant", text="", tool_calls=(call,)),
            Said(by="tool", text="A mathematician.", answers=call),
        ),
        tools=(TOOL,),
    )

    answer = await stage.model.answer(prompt)

    assert answer.text == Says().text


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_empty_answer_is_an_empty_text(stage: Stage, streamed: bool) -> None:
    stage.will(Says(""))

    if streamed:
        _, answer = await collect(stage, a_prompt())
    else:
        answer = await stage.model.answer(a_prompt())

    assert answer.text == ""
    assert answer.tool_calls == ()


async def test_a_stream_may_be_left_in_the_middle(stage: Stage) -> None:
    pieces = stage.model.stream(a_prompt())
    await anext(pieces)
    await pieces.aclose()

    assert (await stage.model.answer(a_prompt())).text == Says().text


async def test_a_model_answers_several_at_once(stage: Stage) -> None:
    answers = await asyncio.gather(*(stage.model.answer(a_prompt()) for _ in range(10)))

    assert {answer.text for answer in answers} == {Says().text}


async def test_vectors_have_length_1_and_the_promised_dimensions(embedder: Embedder) -> None:
    vectors = await embedder.embed(["Ada likes tea.", "", "x" * 100_000])

    assert vectors.shape == (3, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [f"{number} " + "word " * (number * 7 % 40) + chr(97 + number) for number in range(20)]

    together = await embedder.embed(texts)
    alone = np.concatenate([await embedder.embed([text]) for text in texts])

    assert (together * alone).sum(axis=1).min() > 0.9999


async def test_no_texts_are_no_vectors(embedder: Embedder) -> None:
    assert len(await embedder.embed([])) == 0


async def test_more_texts_than_a_batch_holds_are_embedded(embedder: Embedder) -> None:
    texts = [f"text {number}" for number in range(130)]

    assert (await embedder.embed(texts)).shape == (130, embedder.dimensions)


async def test_a_text_is_not_taken_for_a_list_of_letters(embedder: Embedder) -> None:
    with pytest.raises(TypeError):
        await embedder.embed("Ada")
