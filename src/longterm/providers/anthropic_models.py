"""Models of Anthropic; by itself, because its SDK takes a second to import."""

from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from longterm.providers.access import Access
from longterm.providers.vendors import Made


def anthropic(model: str, where: Access, timeout_s: float) -> Made:
    """Make a model of Anthropic."""
    client = AsyncAnthropic(
        base_url=where.base_url, api_key=where.api_key, timeout=timeout_s, max_retries=0
    )
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client)), client
