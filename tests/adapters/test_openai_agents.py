"""OpenAI Agents' session over a conversation, with a model that is scripted."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from agents import (
    Agent,
    ModelResponse,
    RunConfig,
    Runner,
    TResponseInputItem,
    Usage,
    function_tool,
)
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from longterm import AsyncTenant
from longterm.adapters.openai_agents import LongtermSession

OFFLINE = RunConfig(tracing_disabled=True)
ITEMS: list[TResponseInputItem] = [
    {"role": "user", "content": "Hello"},
    {"role": "system", "content": "Be kind."},
    {"type": "function_call", "name": "weather", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "Rain."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "And here?"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"},
        ],
    },
    {"type": "reasoning", "id": "r1", "summary": []},
]


class ScriptedModel(Model):
    """Answers with what it is told to, and remembers what it was asked."""

    def __init__(self, *outputs: ResponseOutputMessage | ResponseFunctionToolCall) -> None:
        self.outputs = list(outputs)
        self.asked: list[Any] = []

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        self.asked.append(kwargs.get("input", args[1] if len(args) > 1 else None))
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def says(words: str) -> ResponseOutputMessage:
    text = ResponseOutputText(annotations=[], text=words, type="output_text")
    return ResponseOutputMessage(
        id="m", content=[text], role="assistant", status="completed", type="message"
    )


async def test_every_kind_of_item_comes_back_unchanged(mem: AsyncTenant) -> None:
    session = LongtermSession(mem, "ada", "trip")
    await session.add_items(ITEMS)

    assert isinstance(session, Session)
    assert await session.get_items() == ITEMS
    assert await session.get_items(2) == ITEMS[-2:]
    assert await session.pop_item() == ITEMS[-1]
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None


async def test_the_settings_of_a_session_limit_what_is_read(mem: AsyncTenant) -> None:
    session = LongtermSession(mem, "ada", "trip", session_settings=SessionSettings(limit=1))
    await session.add_items(ITEMS)

    assert await session.get_items() == ITEMS[-1:]


async def test_only_the_users_own_words_are_the_users(mem: AsyncTenant) -> None:
    await LongtermSession(mem, "ada", "trip").add_items(ITEMS)

    messages = await mem.get_recent_messages("ada")

    assert [one.content for one in messages if one.role == "user"] == ["Hello", "And here?"]
    assert [one.content for one in messages if one.role == "assistant"][2] == "Rain."


async def test_an_agent_has_its_history_tools_included(mem: AsyncTenant) -> None:
    call = ResponseFunctionToolCall(
        arguments="{}", call_id="c1", name="weather", type="function_call"
    )
    model = ScriptedModel(call, says("It rains."), says("Rain, I said."))
    agent = Agent(name="a", model=model, tools=[function_tool(weather)])

    await Runner.run(
        agent, "Weather?", session=LongtermSession(mem, "ada", "trip"), run_config=OFFLINE
    )
    result = await Runner.run(
        agent, "What?", session=LongtermSession(mem, "ada", "trip"), run_config=OFFLINE
    )

    kinds = [item.get("type", item.get("role")) for item in model.asked[-1]]
    assert result.final_output == "Rain, I said."
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]


def weather() -> str:
    """Tells the weather."""
    return "Rain."


async def test_two_users_and_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    mem, foreign = new_tenant(), new_tenant()
    await LongtermSession(mem, "ada", "trip").add_items(ITEMS)

    assert await LongtermSession(mem, "bob", "trip").get_items() == []
    assert await LongtermSession(foreign, "ada", "trip").get_items() == []
