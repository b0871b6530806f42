"""The tool that an agent manages memory with."""

from fastapi import APIRouter

from longterm.api.people import Anybody, OfTenant
from longterm.api.wire.tools import ToolAnswer, ToolCall, ToolSchema
from longterm.memory.tool import SchemaForm

router = APIRouter(prefix="/api/tools/manage_user_memory", tags=["tools"])


@router.get("")
async def tool_schema(tenant: OfTenant, form: SchemaForm = "json") -> ToolSchema:
    """Return the declaration of the tool, as OpenAI or Anthropic want it or as JSON schema."""
    return tenant.tool_schema(form)


@router.post("")
async def call_tool(call: ToolCall, asked: Anybody) -> ToolAnswer:
    """Do what an agent asks for; its mistakes are answered with `ok: false` and an `error`."""
    user = asked.of(call.user_id)
    answer = await user.memory.manage_user_memory(user.id, **call.model_dump(exclude={"user_id"}))
    return ToolAnswer.model_validate(answer)
