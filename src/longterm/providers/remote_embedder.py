"""Embedders behind OpenAI's `/v1/embeddings`, which Ollama and many other servers offer too."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import numpy as np
from pydantic import BaseModel, Field, ValidationError

from longterm.errors import ModelRefusedError, SetupError
from longterm.providers import access, failures
from longterm.providers.embedder import Vectors
from longterm.providers.guard import Guard
from longterm.providers.model import Usage

_MOST_TEXTS = 64
# OpenAI refuses more than 8,191 tokens, and with the one text its whole batch.
_MOST_CHARACTERS = 8_000
# OpenAI refuses an empty text.
_EMPTY = "."


class _Row(BaseModel):
    index: int
    embedding: list[float] = Field(min_length=1)


class _Usage(BaseModel):
    prompt_tokens: int = 0


class _Reply(BaseModel):
    data: list[_Row]
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    vectors: Vectors
    usage: Usage


class RemoteEmbedder:
    """An embedder of OpenAI, Ollama or a compatible server, with a guard of its own.

    Making one reads certificates from disk, so it is not done on an event loop. Without
    `dimensions` they are known after the first call.
    """

    def __init__(
        self,
        vendor: str,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        guard: Guard | None = None,
    ) -> None:
        self._name = f"{vendor}:{model}"
        self._model = model
        self._dimensions = dimensions
        # The newer models of OpenAI shorten their vectors when they are asked to.
        self._shortens = vendor == "openai" and model.startswith("text-embedding-3")
        self._guard = guard or Guard()
        where = access.find(vendor, base_url=base_url, api_key=api_key)
        headers = {"Authorization": f"Bearer {where.api_key}"} if where.api_key else {}
        # The guard has the time limit.
        self._http = httpx.AsyncClient(
            base_url=where.base_url,
            headers=headers,
            timeout=httpx.Timeout(None),
            follow_redirects=True,
        )

    @property
    def name(self) -> str:
        """Vendor and model."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long each vector is."""
        if self._dimensions is None:
            raise SetupError(f"The dimensions of {self._name} are not known before its first call.")
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, each of length 1."""
        if isinstance(texts, str):
            raise TypeError("embed takes a list of texts")
        sent = [text[:_MOST_CHARACTERS] or _EMPTY for text in texts]
        parts = [
            await self._embed(sent[start : start + _MOST_TEXTS])
            for start in range(0, len(sent), _MOST_TEXTS)
        ]
        if not parts:
            return np.zeros((0, self._dimensions or 0), dtype=np.float32)
        return np.concatenate(parts)

    @property
    def is_resting(self) -> bool:
        """Whether it is left alone at the moment, because many calls failed."""
        return self._guard.is_resting

    async def close(self) -> None:
        """Give back connections."""
        await self._http.aclose()

    async def _embed(self, texts: list[str]) -> Vectors:
        batch = await self._guard.call(self._name, "embed", lambda: self._ask(texts))
        found = batch.vectors.shape[1]
        if self._dimensions is None:
            self._dimensions = found
        if found != self._dimensions:
            raise ModelRefusedError(
                f"{self._name} gives vectors of {found} dimensions, not of {self._dimensions}."
            )
        return batch.vectors

    async def _ask(self, texts: list[str]) -> _Batch:
        body: dict[str, object] = {"model": self._model, "input": texts}
        if self._shortens and self._dimensions is not None:
            body["dimensions"] = self._dimensions
        try:
            response = await self._http.post("/embeddings", json=body)
        except httpx.TimeoutException:
            raise failures.too_slow(self._name) from None
        except httpx.HTTPError:
            raise failures.no_connection(self._name) from None
        if not response.is_success:
            raise failures.from_status(
                self._name,
                response.status_code,
                retry_after_s=failures.retry_after_s(response.headers),
            )
        return self._read(response.content, len(texts))

    def _read(self, content: bytes, expected: int) -> _Batch:
        try:
            reply = _Reply.model_validate_json(content)
        except ValidationError:
            # Without its cause: that one quotes the answer.
            raise failures.not_understood(self._name, "not embeddings") from None
        rows = sorted(reply.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(expected)):
            raise failures.not_understood(self._name, "another number of embeddings")
        if len({len(row.embedding) for row in rows}) != 1:
            raise failures.not_understood(self._name, "embeddings of several lengths")
        return _Batch(
            vectors=self._normalised(np.array([row.embedding for row in rows], dtype=np.float32)),
            usage=Usage(prompt_tokens=reply.usage.prompt_tokens if reply.usage else 0),
        )

    def _normalised(self, vectors: Vectors) -> Vectors:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise failures.not_understood(self._name, "a vector without a direction")
        return (vectors / lengths).astype(np.float32)
