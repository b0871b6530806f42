"""Whether the language model, the embedder and the server behind `/v1` answer: one call each."""

import asyncio
import json
from typing import Any

from longterm.doctor.check import Check
from longterm.errors import LongtermError
from longterm.providers import choose
from longterm.providers.embedder import Embedder
from longterm.providers.guard import Guard
from longterm.providers.model import ChatModel, Prompt, Said
from longterm.proxy import upstream as proxy
from longterm.proxy.headers import up
from longterm.proxy.upstream import Upstream
from longterm.settings import Settings

# A model that has to be loaded first takes longer; doctor says so.
PATIENCE_S = 20.0

_QUESTION = Prompt(
    instructions="Answer with the word yes.",
    messages=(Said(by="user", text="Do you hear me?"),),
    # Models that think first need some for that.
    max_tokens=200,
    purpose="doctor",
)


async def examine(settings: Settings, *, patience_s: float = PATIENCE_S) -> list[Check]:
    """Ask each of them once, all at the same time."""
    return [
        check
        for check in await asyncio.gather(
            _model(settings, patience_s),
            _embedder(settings, patience_s),
            _upstream(settings, patience_s),
        )
        if check is not None
    ]


async def _model(settings: Settings, patience_s: float) -> Check:
    key = settings.llm_api_key
    try:
        model: ChatModel | None = await asyncio.to_thread(
            choose.chat_model,
            settings.llm,
            base_url=settings.llm_base_url,
            api_key=None if key is None else key.get_secret_value(),
            output_mode=settings.llm_output,
            timeout_s=patience_s,
        )
    except LongtermError as error:
        return Check(name="model", found=str(error), mend="correct LONGTERM_LLM and its key")
    if model is None:
        return Check(name="model", found="none is set: Longterm works by rules")
    mend = "correct LONGTERM_LLM, LONGTERM_LLM_BASE_URL and the key, or start the model's server"
    try:
        async with asyncio.timeout(patience_s):
            await model.answer(_QUESTION)
    except TimeoutError:
        return Check(name="model", found=_silent(model.name, patience_s), mend=mend)
    except LongtermError as error:
        return Check(name="model", found=f"{model.name}: {error}", mend=mend)
    finally:
        await model.close()
    return Check(name="model", found=f"{model.name} answers")


async def _embedder(settings: Settings, patience_s: float) -> Check:
    key = settings.embedder_api_key
    try:
        embedder: Embedder = await asyncio.to_thread(
            choose.embedder,
            settings.embedder,
            base_url=settings.embedder_base_url,
            api_key=None if key is None else key.get_secret_value(),
            dimensions=settings.embedder_dimensions,
            threads=settings.embedder_threads,
            guard=Guard(timeout_s=patience_s, retries=0),
        )
    except LongtermError as error:
        return Check(
            name="embedder", found=str(error), mend="correct LONGTERM_EMBEDDER and its key"
        )
    mend = (
        "correct LONGTERM_EMBEDDER, LONGTERM_EMBEDDER_BASE_URL, LONGTERM_EMBEDDER_DIMENSIONS and "
        "the key, or start its server"
    )
    try:
        async with asyncio.timeout(patience_s):
            vectors = await embedder.embed(["Longterm"])
    except TimeoutError:
        return Check(name="embedder", found=_silent(embedder.name, patience_s), mend=mend)
    except LongtermError as error:
        return Check(name="embedder", found=f"{embedder.name}: {error}", mend=mend)
    finally:
        await embedder.close()
    return Check(name="embedder", found=f"{embedder.name}, vectors of {vectors.shape[1]} numbers")


async def _upstream(settings: Settings, patience_s: float) -> Check | None:
    """The server that `/v1` passes requests on to; None where there is none."""
    try:
        server = await asyncio.to_thread(proxy.find, settings)
    except LongtermError as error:
        return Check(name="upstream", found=str(error), mend="correct LONGTERM_UPSTREAM_URL")
    if server is None:
        return None
    mend = "correct LONGTERM_UPSTREAM_URL (as a rule it ends with /v1) and LONGTERM_UPSTREAM_KEY"
    try:
        async with asyncio.timeout(patience_s):
            status, models = await _models_of(server)
    except TimeoutError:
        return Check(name="upstream", found=_silent("it", patience_s), mend=mend)
    except LongtermError as error:
        return Check(name="upstream", found=str(error), mend=mend)
    finally:
        await server.close()
    if status in (401, 403) and server.key is None:
        return Check(
            name="upstream",
            found="it asks for a key, and none is configured",
            mend="set LONGTERM_UPSTREAM_KEY, unless each client sends X-Longterm-Upstream-Key",
            is_warning=True,
        )
    if status in (401, 403):
        return Check(name="upstream", found=f"it refuses the key (status {status})", mend=mend)
    if models is None:
        found = f"it does not list its models as OpenAI does (status {status})"
        return Check(name="upstream", found=found, mend=mend)
    return Check(name="upstream", found=f"it has {models} models")


async def _models_of(server: Upstream) -> tuple[int, int | None]:
    """The status, and how many models it lists; None where it lists none."""
    response = await server.send("GET", "/models", headers=up((), server.key))
    try:
        content = b"".join([piece async for piece in proxy.pieces(response)])
    finally:
        await response.aclose()
    try:
        listed: Any = json.loads(content)
        return response.status_code, len(listed["data"]) if response.is_success else None
    except (ValueError, TypeError, KeyError):
        return response.status_code, None


def _silent(name: str, patience_s: float) -> str:
    return f"{name} did not answer within {patience_s:g} s; a model that is being loaded may later"
