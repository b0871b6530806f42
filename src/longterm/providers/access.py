"""Where a vendor is reached and with which key."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from longterm.errors import SetupError


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The address of a vendor's API, and the key where there is one."""

    base_url: str
    # Not in the repr: objects end up in logs.
    api_key: str | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vendor:
    key_variable: str
    url_variable: str
    base_url: str | None
    needs_key: bool


_VENDORS: Mapping[str, _Vendor] = MappingProxyType(
    {
        "openai": _Vendor(
            key_variable="OPENAI_API_KEY",
            url_variable="OPENAI_BASE_URL",
            base_url="https://api.openai.com/v1",
            needs_key=True,
        ),
        "anthropic": _Vendor(
            key_variable="ANTHROPIC_API_KEY",
            url_variable="ANTHROPIC_BASE_URL",
            base_url="https://api.anthropic.com",
            needs_key=True,
        ),
        "ollama": _Vendor(
            key_variable="OLLAMA_API_KEY",
            url_variable="OLLAMA_BASE_URL",
            base_url="http://127.0.0.1:11434/v1",
            needs_key=False,
        ),
        "openai-compatible": _Vendor(
            key_variable="OPENAI_API_KEY",
            url_variable="OPENAI_BASE_URL",
            base_url=None,
            needs_key=False,
        ),
    }
)


def find(
    vendor: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Access:
    """The access that was given, else the one in the vendor's usual environment variables."""
    known = _VENDORS[vendor]
    environ = os.environ if environ is None else environ
    url = base_url or environ.get(known.url_variable) or known.base_url
    if url is None:
        raise SetupError(f"{vendor} needs a base URL; give one, or set {known.url_variable}.")
    # OPENAI_API_KEY belongs to OPENAI_BASE_URL: it is not sent to another server.
    elsewhere = vendor == "openai-compatible" and base_url is not None
    key = api_key or (None if elsewhere else environ.get(known.key_variable)) or None
    if key is None and known.needs_key:
        raise SetupError(f"{vendor} needs a key; give one, or set {known.key_variable}.")
    return Access(base_url=_checked(vendor, url), api_key=key)


def _checked(vendor: str, url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SetupError(f"The base URL of {vendor} must begin with http:// or https://.")
    # Ollama's own variable is written without the path of its OpenAI-compatible side.
    if vendor == "ollama" and parts.path in ("", "/"):
        return url.rstrip("/") + "/v1"
    return url.rstrip("/")
