"""The language models of all vendors, through pydantic-ai.

Importing this takes half a second, so `choose` loads it when a model is made.
"""

import json
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Literal, Protocol

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from longterm.errors import ModelGoneError, ModelRefusedError, SetupError
from longterm.observe import trace
from longterm.providers import access, failures
from longterm.providers.access import Access
from longterm.providers.model import Answer, Prompt, Said, ToolCall, Usage

OutputMode = Literal["auto", "tool", "native", "prompted"]
_SetMode = Literal["tool", "native", "prompted"]

_ANSWER_TOOL = "final_result"

# Part of the instructions, and no more: pydantic-ai would send a second system message, which
# the chat templates of some local models refuse, and `json_object`, which some servers refuse.
_PROMPTED = "Answer with nothing but JSON, without Markdown, that fits this schema:\n"


class Client(Protocol):
    """What holds the connections to a vendor."""

    async def close(self) -> None:
        """Give them back."""
        ...


Made = tuple[Model[Any], Client]
Make = Callable[[str, Access, float], Made]


class VendorModel:
    """A language model of one of the vendors.

    Making one reads certificates from disk, so it is not done on an event loop. `timeout_s` is
    how long to wait for the next bytes; the whole answer is the guard's to limit.
    """

    def __init__(
        self,
        vendor: str,
        model: str,
        *,
        make: Make,
        base_url: str | None = None,
        api_key: str | None = None,
        output_mode: OutputMode = "auto",
        timeout_s: float = 60.0,
    ) -> None:
        self._vendor = vendor
        self._name = f"{vendor}:{model}"
        where = access.find(vendor, base_url=base_url, api_key=api_key)
        _keep_prompts_out_of_logs()
        self._model, self._client = make(model, where, timeout_s)
        self._mode: _SetMode = _chosen(self._name, vendor, self._model, output_mode)

    @property
    def name(self) -> str:
        """Vendor and model."""
        return self._name

    async def answer(self, prompt: Prompt) -> Answer:
        """Return the whole answer."""
        messages, parameters, settings = self._request(prompt)
        with _translated(self._name):
            response = await model_request(
                self._model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            )
        return self._answer(response)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Yield the words as they come, and last of all the whole answer."""
        messages, parameters, settings = self._request(prompt)
        # What is said around an answer that comes as a tool call is not part of it.
        by_tool = parameters.output_mode == "tool"
        with _translated(self._name):
            async with model_request_stream(
                self._model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            ) as events:
                async for event in events:
                    if not by_tool and (words := _words(event)):
                        yield words
                response = events.get()
        if not _ended(self._vendor, response):
            raise failures.no_connection(self._name)
        answer = self._answer(response)
        if by_tool and answer.text:
            yield answer.text
        yield answer

    async def close(self) -> None:
        """Give back connections."""
        await self._client.close()

    def _request(
        self, prompt: Prompt
    ) -> tuple[list[ModelMessage], ModelRequestParameters, ModelSettings]:
        instructions, schema = prompt.instructions, prompt.answer_schema
        if schema is not None and self._mode == "prompted":
            instructions = f"{instructions}\n\n{_PROMPTED}{json.dumps(schema)}".strip()
        parameters = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=dict(tool.parameters),
                )
                for tool in prompt.tools
            ],
            instruction_parts=[InstructionPart(content=instructions)] if instructions else [],
        )
        if schema is not None:
            _ask_for_json(parameters, dict(schema), self._mode)
        settings = ModelSettings()
        if prompt.max_tokens is not None:
            settings["max_tokens"] = prompt.max_tokens
        if (traceparent := trace.header()) is not None:
            settings["extra_headers"] = {trace.HEADER: traceparent}
        return [_message(said) for said in prompt.messages], parameters, settings

    def _answer(self, response: ModelResponse) -> Answer:
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        by_tool = [call for call in calls if call.tool_name == _ANSWER_TOOL]
        said = [part.content for part in response.parts if isinstance(part, TextPart)]
        return Answer(
            text=_arguments(by_tool[0]) if by_tool else "".join(said),
            model=self._name,
            tool_calls=tuple(
                ToolCall(id=call.tool_call_id, name=call.tool_name, arguments=_arguments(call))
                for call in calls
                if call.tool_name != _ANSWER_TOOL
            ),
            usage=Usage(
                prompt_tokens=response.usage.input_tokens,
                answer_tokens=response.usage.output_tokens,
            ),
        )


def _ask_for_json(
    parameters: ModelRequestParameters, schema: dict[str, Any], mode: _SetMode
) -> None:
    if mode == "tool":
        parameters.output_mode = mode
        parameters.allow_text_output = False
        parameters.output_tools = [
            ToolDefinition(
                name=_ANSWER_TOOL,
                description="Give the answer.",
                parameters_json_schema=schema,
                kind="output",
            )
        ]
    elif mode == "native":
        parameters.output_mode = mode
        parameters.output_object = OutputObjectDefinition(json_schema=schema, name=_ANSWER_TOOL)


def _message(said: Said) -> ModelMessage:
    if said.by == "user":
        return ModelRequest(parts=[UserPromptPart(content=said.text)])
    if said.answers is not None:
        call = said.answers
        return ModelRequest(
            parts=[ToolReturnPart(tool_name=call.name, content=said.text, tool_call_id=call.id)]
        )
    calls = [
        ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id)
        for call in said.tool_calls
    ]
    # An empty text beside tool calls is refused by Anthropic.
    words = [TextPart(content=said.text)] if said.text or not calls else []
    return ModelResponse(parts=[*words, *calls])


def _words(event: object) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _arguments(call: ToolCallPart) -> str:
    # As it was written: of arguments that were cut off, much can still be saved.
    return call.args if isinstance(call.args, str) else json.dumps(call.args or {})


def _ended(vendor: str, response: ModelResponse) -> bool:
    """Whether a stream came to its end: a proxy that gives up ends it as tidily as the vendor."""
    if response.finish_reason == "content_filter":
        return True
    if (response.provider_details or {}).get("finish_reason"):
        return True
    # Some compatible servers never say why they stopped, but count the tokens at the end.
    return vendor in ("ollama", "openai-compatible") and response.usage.output_tokens > 0


@contextmanager
def _translated(name: str) -> Generator[None]:
    """Turn whatever comes out of the SDKs into one of our two errors."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the vendors' boundary, see _translate
        # Without its cause: that one holds what was sent and what came back.
        raise _translate(name, error) from None


def _translate(name: str, error: Exception) -> ModelGoneError | ModelRefusedError:
    if isinstance(error, exceptions.ModelHTTPError):
        return failures.from_status(name, error.status_code, retry_after_s=error.retry_after)
    if isinstance(error, exceptions.ModelTimeoutError | exceptions.ModelRequestTimeout):
        return failures.too_slow(name)
    if isinstance(error, exceptions.ModelConnectionError):
        return failures.no_connection(name)
    if isinstance(error, exceptions.UserError | exceptions.ModelRequestRejectedError):
        return ModelRefusedError(f"{name} cannot be asked in this way ({type(error).__name__}).")
    # Nonsense from a vendor comes as anything: no choices at all are an IndexError.
    return failures.not_understood(name, type(error).__name__)


def _chosen(name: str, vendor: str, model: Model[Any], mode: OutputMode) -> _SetMode:
    has_native = model.profile.get("supports_json_schema_output", False)
    if mode == "auto":
        usual = _USUAL_MODE[vendor]
        return "prompted" if usual == "native" and not has_native else usual
    if mode == "native" and not has_native:
        raise SetupError(f"{name} has no native JSON output; use the mode `tool` or `prompted`.")
    return mode


def _keep_prompts_out_of_logs() -> None:
    # At DEBUG, Anthropic's SDK logs each request with all that was said; OpenAI's might one day.
    for sdk in ("anthropic", "openai"):
        logging.getLogger(f"{sdk}._base_client").setLevel(logging.INFO)


_USUAL_MODE: Mapping[str, _SetMode] = MappingProxyType(
    {
        "openai": "native",
        "anthropic": "tool",
        "ollama": "native",
        "openai-compatible": "prompted",
    }
)
