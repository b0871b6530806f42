"""OpenAI's routes: a client of OpenAI changes its base URL, and has memory."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response, StreamingResponse

from longterm.api.clients import answered, client_of
from longterm.api.people import Anybody
from longterm.api.process import CurrentProcess
from longterm.api.wire.openai import ANSWERS, COMPLETION, EMBEDDING, LISTS, MODELS, ONE
from longterm.proxy import embeddings, offline, upstream

router = APIRouter(prefix="/v1", tags=["openai"])


@router.post(
    "/chat/completions",
    responses=ANSWERS,
    openapi_extra=COMPLETION,
    response_class=StreamingResponse,
)
async def complete(request: Request, asked: Anybody, process: CurrentProcess) -> Response:
    """Pass a chat completion on to the model's server, with what memory has to say.

    All of OpenAI's parameters go through as they are. What is new of the history is stored, once.
    """
    client = client_of(request, asked, process)
    return await answered(request, client.complete())


@router.get("/models", responses=LISTS, openapi_extra=MODELS)
async def models(request: Request, asked: Anybody, process: CurrentProcess) -> Response:
    """List the models of the model's server, or our own where there is none."""
    if process.upstream is None:
        return JSONResponse(offline.models(process.runtime.parts.embedders.current.name))
    return await answered(request, client_of(request, asked, process).passed_on("/models"))


@router.get("/models/{model:path}", responses=ONE, openapi_extra=MODELS)
async def model(
    request: Request,
    asked: Anybody,
    process: CurrentProcess,
    model: Annotated[str, Path(min_length=1, max_length=255, examples=["longterm-offline"])],
) -> Response:
    """Tell about one model of the model's server, or of our own where there is none."""
    if process.upstream is None:
        ours = process.runtime.parts.embedders.current.name
        return JSONResponse(offline.model(model, ours))
    path = upstream.model_path(model)
    return await answered(request, client_of(request, asked, process).passed_on(path))


@router.post("/embeddings", responses=LISTS, openapi_extra=EMBEDDING)
async def embed(request: Request, asked: Anybody, process: CurrentProcess) -> Response:
    """Make vectors of texts, with the embedder of Longterm or by way of the model's server."""
    client = client_of(request, asked, process)
    embedder = process.runtime.parts.embedders.current
    data: dict[str, Any] = client.body.data
    if process.upstream is None or embeddings.is_ours(data.get("model"), embedder):
        return JSONResponse(await embeddings.embed(data, embedder))
    return await answered(request, client.passed_on("/embeddings"))
