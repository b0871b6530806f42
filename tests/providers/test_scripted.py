"""The fakes that ship."""

import pytest

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.providers.model import Answer, Prompt, Said, ToolSpec
from longterm.providers.scripted import Line, ScriptedEmbedder, ScriptedModel
from longterm.text import tokens
from tests.providers.stages import SCHEMA, a_prompt


async def test_a_script_is_said_line_by_line_and_then_ends() -> None:
    model = ScriptedModel(["one", ModelGoneError("away"), Line(text="three")])

    assert (await model.answer(a_prompt())).text == "one"
    with pytest.raises(ModelGoneError, match="away"):
        await model.answer(a_prompt())
    assert (await model.answer(a_prompt())).text == "three"
    with pytest.raises(ModelRefusedError, match="end"):
        await model.answer(a_prompt())

    assert model.calls == 4


async def test_a_function_may_look_at_the_prompt() -> None:
    model = ScriptedModel(lambda prompt: prompt.messages[-1].text.upper())

    assert (await model.answer(a_prompt("hello"))).text == "HELLO"
    assert [prompt.messages[-1].text for prompt in model.prompts] == ["hello"]


async def test_a_stream_is_said_word_by_word() -> None:
    model = ScriptedModel([" one  two\nthree \n"])

    pieces = [piece async for piece in model.stream(a_prompt())]

    assert pieces[:-1] == [" one", "  two", "\nthree \n"]
    assert isinstance(pieces[-1], Answer)


async def test_all_that_is_sent_is_counted() -> None:
    model = ScriptedModel(["Hello Ada.", "Hello Ada."])
    tool = ToolSpec(name="find", description="Find something.", parameters={"type": "object"})
    said = (Said(by="user", text="Who am I?"),)

    plain = await model.answer(Prompt(instructions="Be kind.", messages=said))
    full = await model.answer(
        Prompt(instructions="Be kind.", messages=said, tools=(tool,), answer_schema=SCHEMA)
    )

    assert plain.usage.prompt_tokens == tokens.count("Be kind.") + tokens.count("Who am I?")
    assert plain.usage.answer_tokens == tokens.count("Hello Ada.")
    assert full.usage.prompt_tokens > plain.usage.prompt_tokens + 20
    assert model.usage.tokens == plain.usage.tokens + full.usage.tokens


async def test_texts_that_share_words_are_alike() -> None:
    embedder = ScriptedEmbedder(dimensions=64)

    tea, more_tea, report = await embedder.embed(["Ada likes TEA", "Likes Ada tea?", "a report"])

    assert tea @ more_tea == pytest.approx(1)
    assert tea @ report < 0.5
    assert (embedder.calls, embedder.texts[0]) == (1, "Ada likes TEA")
