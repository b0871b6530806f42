"""Embeddings in OpenAI's shape, made by Longterm's own embedder."""

import base64
from typing import Any, cast

from longterm.errors import InvalidInputError
from longterm.providers.embedder import Embedder, Vectors
from longterm.text import tokens

_MOST_TEXTS = 2048
_OURS = ("longterm", "local")


def is_ours(model: object, embedder: Embedder) -> bool:
    """Whether a name means the embedder of Longterm."""
    return model in (*_OURS, embedder.name, embedder.name.partition(":")[2])


async def embed(data: dict[str, Any], embedder: Embedder) -> dict[str, Any]:
    """The vectors of the input, as numbers or as base64; the answer names who made them."""
    texts = _texts(data.get("input"))
    form = data.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        raise InvalidInputError("encoding_format must be float or base64.")
    vectors = await embedder.embed(texts)
    _check_dimensions(data.get("dimensions"), vectors)
    size = sum(map(tokens.estimate, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": one}
            for index, one in enumerate(_encoded(vectors, form))
        ],
        "model": embedder.name,
        "usage": {"prompt_tokens": size, "total_tokens": size},
    }


def _texts(given: object) -> list[str]:
    each = [given] if isinstance(given, str) else given
    texts = cast("list[object]", each) if isinstance(each, list) else []
    if not 0 < len(texts) <= _MOST_TEXTS:
        raise InvalidInputError(f"input must be a text, or a list of 1 to {_MOST_TEXTS} texts.")
    checked = [one for one in texts if isinstance(one, str) and one]
    if len(checked) != len(texts):
        raise InvalidInputError("input must be texts that are not empty; tokens are not taken.")
    return [text.encode("utf-8", "replace").decode() for text in checked]


def _check_dimensions(wanted: object, vectors: Vectors) -> None:
    made = vectors.shape[1]
    if wanted is not None and wanted != made:
        raise InvalidInputError(f"dimensions must be {made}, or left out: vectors are not cut.")


def _encoded(vectors: Vectors, form: str) -> list[str] | list[list[float]]:
    if form == "base64":
        return [base64.b64encode(row.astype("<f4").tobytes()).decode() for row in vectors]
    return [row.tolist() for row in vectors]
