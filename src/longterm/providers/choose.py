"""From a name in the settings to a language model or an embedder.

Each module is loaded when something of it is made: the vendors' SDKs take up to a second each.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

from longterm.errors import InvalidInputError
from longterm.providers.embedder import Embedder
from longterm.providers.guard import Guard
from longterm.providers.model import ChatModel

OutputMode = Literal["auto", "tool", "native", "prompted"]

_VENDORS = "longterm.providers.vendors:VendorModel"
_REMOTE = "longterm.providers.remote_embedder:RemoteEmbedder"
_LOCAL_MODEL = "all-MiniLM-L6-v2"

# A new vendor is one line here and one maker there.
_MODELS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "longterm.providers.openai_models:openai",
        "anthropic": "longterm.providers.anthropic_models:anthropic",
        "ollama": "longterm.providers.openai_models:ollama",
        "openai-compatible": "longterm.providers.openai_models:compatible",
    }
)
_EMBEDDERS: Mapping[str, str] = MappingProxyType(
    {"openai": _REMOTE, "ollama": _REMOTE, "openai-compatible": _REMOTE}
)


def chat_model(
    name: "str | ChatModel | None",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    output_mode: OutputMode = "auto",
    timeout_s: float = 60.0,
) -> ChatModel | None:
    """The language model of that name, not guarded yet; None when there is to be none.

    Not for an event loop: it reads files, and the first one takes a second or two.
    """
    if name is None or name == "offline":
        return None
    if not isinstance(name, str):
        return name
    vendor, model = _parts(name, _MODELS, also="offline")
    return _load(_VENDORS)(
        vendor,
        model,
        make=_load(_MODELS[vendor]),
        base_url=base_url,
        api_key=api_key,
        output_mode=output_mode,
        timeout_s=timeout_s,
    )


def embedder(
    name: "str | Embedder | None",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    dimensions: int | None = None,
    threads: int = 1,
    guard: Guard | None = None,
) -> Embedder:
    """The embedder of that name; the local one when there is none.

    Not for an event loop: it reads files.
    """
    if name is not None and not isinstance(name, str):
        return name
    if name in (None, "local", f"local:{_LOCAL_MODEL}"):
        return _load("longterm.providers.local:LocalEmbedder")(threads=threads)
    vendor, model = _parts(name, _EMBEDDERS, also="local")
    return _load(_EMBEDDERS[vendor])(
        vendor, model, base_url=base_url, api_key=api_key, dimensions=dimensions, guard=guard
    )


def _parts(name: str, known: Mapping[str, str], *, also: str) -> tuple[str, str]:
    vendor, _, model = name.partition(":")
    if vendor not in known or not model.strip():
        allowed = ", ".join(f"{each}:MODEL" for each in known)
        raise InvalidInputError(f"There is no model {name[:80]!r}; it is {also} or {allowed}.")
    return vendor, model.strip()


def _load(where: str) -> Any:
    module, _, maker = where.partition(":")
    return getattr(import_module(module), maker)
