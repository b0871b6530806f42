"""A Pydantic AI agent with its history and its tools for memory in Longterm."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from longterm import AsyncLongterm
from longterm.adapters.pydantic_ai import LongtermHistory, memory_toolset


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Stand in for a model: remember what is said first, look up what is asked then."""
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(last.model_response_str())])
    if len(messages) == 1:
        fact = {"content": "The user is allergic to peanuts"}
        return ModelResponse(parts=[ToolCallPart("remember", fact)])
    return ModelResponse(parts=[ToolCallPart("recall", {"query": "What can't I eat?"})])


async def main() -> None:
    """Talk twice, as two requests to a server would."""
    agent = Agent(FunctionModel(scripted))
    async with AsyncLongterm() as lt:
        mem = lt.tenant(1)
        for question in ("Peanuts make me ill", "What can't I eat?"):
            history = LongtermHistory(mem, "ada", "first steps")
            result = await agent.run(
                question,
                message_history=await history.messages(),
                toolsets=[memory_toolset(mem, "ada")],
            )
            await history.add(result.new_messages())
            print(result.output)


if __name__ == "__main__":
    asyncio.run(main())
