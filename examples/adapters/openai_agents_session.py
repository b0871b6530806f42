"""An agent of the OpenAI Agents SDK whose session is a conversation in Longterm."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from longterm import AsyncLongterm
from longterm.adapters.openai_agents import LongtermSession


class CountingModel(Model):
    """Stands in for a model, and tells how much of the conversation it was shown."""

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        """Answer with the number of items."""
        words = f"I was shown {len(given['input'])} items."
        text = ResponseOutputText(annotations=[], text=words, type="output_text")
        message = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Leave streaming out."""
        raise NotImplementedError


async def main() -> None:
    """Talk twice, as two requests to a server would."""
    agent = Agent(name="assistant", model=CountingModel())
    async with AsyncLongterm() as lt:
        for question in ("I'm Ada", "Who am I?"):
            session = LongtermSession(lt.tenant(1), "ada", "first steps")
            result = await Runner.run(
                agent, question, session=session, run_config=RunConfig(tracing_disabled=True)
            )
            print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
