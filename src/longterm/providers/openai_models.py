"""Models of OpenAI, of Ollama and of servers that are compatible with OpenAI's."""

from openai import AsyncOpenAI
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from longterm.providers.access import Access
from longterm.providers.vendors import Made

# The SDK refuses to be made without a key, which local servers do not have.
_NO_KEY = "none"
# Where OpenAI's newer `max_completion_tokens` is not known, it is ignored in silence.
_OLD_LIMIT = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)


def openai(model: str, where: Access, timeout_s: float) -> Made:
    """Make a model of OpenAI."""
    client = _client(where, timeout_s)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client)), client


def compatible(model: str, where: Access, timeout_s: float) -> Made:
    """Make a model of a compatible server."""
    client = _client(where, timeout_s)
    provider = OpenAICompatibleProvider(
        "openai-compatible",
        openai_client=client,
        profile=_OLD_LIMIT,
    )
    return OpenAIChatModel(model, provider=provider), client


def ollama(model: str, where: Access, timeout_s: float) -> Made:
    """Make a model of Ollama."""
    client = _client(where, timeout_s)
    provider = OllamaProvider(openai_client=client)
    # Twice, as the model looks whether it runs in Ollama's cloud only when it is given no profile.
    profile = merge_profile(OllamaModel(model, provider=provider).profile, _OLD_LIMIT)
    return OllamaModel(model, provider=provider, profile=profile), client


def _client(where: Access, timeout_s: float) -> AsyncOpenAI:
    return AsyncOpenAI(
        base_url=where.base_url,
        api_key=where.api_key or _NO_KEY,
        timeout=timeout_s,
        max_retries=0,
    )
