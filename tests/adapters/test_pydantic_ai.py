"""Pydantic AI's history and toolset, with models that are scripted."""

from collections.abc import Callable

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from longterm import AsyncTenant, Tenant
from longterm.adapters.pydantic_ai import LongtermHistory, memory_toolset

MESSAGES: list[ModelMessage] = [
    ModelRequest(
        parts=[
            SystemPromptPart("Be kind."),
            UserPromptPart(["What is this?", BinaryContent(b"\x00\xff", media_type="image/png")]),
        ],
        instructions="Be brief.",
    ),
    ModelResponse(
        parts=[ThinkingPart("Hm."), ToolCallPart("look", {"at": [1, None]}, tool_call_id="c1")],
        usage=RequestUsage(input_tokens=3, output_tokens=4),
        model_name="a model",
    ),
    ModelRequest(parts=[ToolReturnPart("look", {"seen": "a cat"}, tool_call_id="c1")]),
    ModelRequest(parts=[RetryFeedbackPart("Once more.", retry=RetryInfo("no_output"))]),
    ModelResponse(parts=[TextPart("A cat.")]),
]


async def test_every_kind_of_message_comes_back_unchanged(mem: AsyncTenant) -> None:
    history = LongtermHistory(mem, "ada", "trip")
    await history.add(MESSAGES)

    # An image that was given as plain bytes is a `BinaryImage` after Pydantic AI's own round trip.
    same = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(MESSAGES))
    assert await history.messages() == same
    assert same[1:] == MESSAGES[1:]
    assert await history.messages(limit=1) == MESSAGES[-1:]
    await history.clear()
    assert await history.messages() == []


async def test_only_the_users_own_words_are_the_users(mem: AsyncTenant) -> None:
    await LongtermHistory(mem, "ada", "trip").add(MESSAGES)

    messages = await mem.get_recent_messages("ada")

    assert [(one.role, one.content) for one in messages] == [
        ("user", "What is this?"),
        ("assistant", ""),
        ("assistant", '{"seen":"a cat"}'),
        ("assistant", ""),
        ("assistant", "A cat."),
    ]


def counts(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(f"{len(messages)} messages")])


def test_an_agent_has_its_history(tenant: Tenant) -> None:
    agent = Agent(FunctionModel(counts))
    history = LongtermHistory(tenant, "ada", "trip")

    for question in ("I'm Ada", "Who am I?"):
        result = agent.run_sync(question, message_history=history.messages_sync())
        history.add_sync(result.new_messages())

    assert [type(one) for one in history.messages_sync()] == [ModelRequest, ModelResponse] * 2
    assert isinstance(last := history.messages_sync()[-1].parts[0], TextPart)
    assert last.content == "3 messages"


async def test_what_came_through_another_door_is_history_too(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "Hello")
    await mem.add_message("ada", "assistant", "Hi")

    first, second = await LongtermHistory(mem, "ada", conversation.id).messages()

    assert isinstance(first.parts[0], UserPromptPart)
    assert isinstance(second.parts[0], TextPart)


async def asked_of_tools(mem: AsyncTenant, user_id: str, *calls: ToolCallPart) -> list[str]:
    """What the tools answer to these calls of a model."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {
            "manage_user_memory",
            "remember",
            "recall",
        }
        done = len(messages) // 2
        return ModelResponse(parts=[calls[done]] if done < len(calls) else [TextPart("Done.")])

    result = await Agent(FunctionModel(model)).run("Go", toolsets=[memory_toolset(mem, user_id)])
    return [
        part.model_response_str()
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


async def test_an_agent_remembers_and_recalls_one_user_only(
    new_tenant: Callable[[], AsyncTenant],
) -> None:
    mem, foreign = new_tenant(), new_tenant()
    remembered = await asked_of_tools(
        mem,
        "ada",
        ToolCallPart("remember", {"content": "The user is allergic to peanuts"}),
        ToolCallPart("manage_user_memory", {"operation": "add_fact", "content": "x" * 501}),
        ToolCallPart("manage_user_memory", {"operation": "search", "query": "peanuts"}),
    )

    recall = ToolCallPart("recall", {"query": "What must I not eat?"})
    (found,) = await asked_of_tools(mem, "ada", recall)
    others = [
        *await asked_of_tools(mem, "bob", recall),
        *await asked_of_tools(foreign, "ada", recall),
    ]

    assert '"ok":true' in remembered[0]
    assert '"ok":false' in remembered[1]
    assert "peanuts" in remembered[2]
    assert "peanuts" in found
    assert others == ["Nothing is known about this."] * 2


async def test_what_a_model_makes_up_is_answered_with_a_sentence(mem: AsyncTenant) -> None:
    answers = await asked_of_tools(
        mem,
        "ada",
        ToolCallPart("manage_user_memory", {"operation": "get_memory", "user_id": "bob"}),
        ToolCallPart("manage_user_memory", {}),
        ToolCallPart("manage_user_memory", {"operation": "add_fact", "content": 5}),
        ToolCallPart("recall", {"query": " "}),
    )

    assert ["There is no user_id to give" in answers[0], "operation must be" in answers[1]] == [
        True, True,
    ]  # fmt: skip
    assert "content must be text" in answers[2]
    assert "query must not be blank" in answers[3]
