"""A server, and who asks there: requests are written down for it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import httpx

from longterm.client.request import Request, given, plain
from longterm.errors import InvalidInputError, NotAllowedError
from longterm.records.ids import new_id
from longterm.records.json import check_json, text

_VISIBLE = re.compile(r"[\x21-\x7e]+")
# More than any server takes with default settings.
_LONGEST_URL = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Asks to send this, and for its answer or what went wrong on the way."""

    method: str
    url: str
    # The key is among them, and reports of errors show the variables of a program.
    headers: dict[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)
    file: str | Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server, and who asks there: with which key, in which tenant, for which user."""

    url: str
    key: str | None = field(repr=False)
    tenant: int | None
    user_id: str | None
    timeout_s: float
    attempts: int

    def __post_init__(self) -> None:
        _check_url(self.url, with_key=self.key is not None)
        # What was given is not repeated: it may be a key with a slip of the hand in it.
        if self.key is not None and not _VISIBLE.fullmatch(text(self.key, "key")):
            raise InvalidInputError("key must be made of visible ASCII characters.")
        if self.user_id is not None:
            text(self.user_id, "user_id")
        if not (_is_number(self.timeout_s) and 0 < self.timeout_s < float("inf")):
            raise InvalidInputError("timeout_s must be a positive number of seconds.")
        if not _is_whole(self.attempts) or self.attempts < 1:
            raise InvalidInputError("attempts must be a whole number, at least 1.")
        if self.tenant is not None and not (_is_whole(self.tenant) and self.tenant >= 0):
            raise InvalidInputError("tenant must be a whole number, at least 0.")

    def prepare(self, request: Request[Any]) -> Send:
        """Write a request down; the key that makes it safe to repeat is the same each time."""
        url = self.url.rstrip("/") + request.path + self._query(request)
        if len(url) > _LONGEST_URL:
            raise InvalidInputError("An id, a name or a text is too long for an address.")
        content = None if request.body is None else _json(request.body)
        return Send(
            method=request.method,
            url=url,
            headers=self._headers(request),
            content=content,
            file=request.file,
        )

    def _headers(self, request: Request[Any]) -> dict[str, str]:
        accept = "application/json" if request.pieces is None else request.pieces.accept
        headers = {"Accept": accept}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.tenant is not None:
            headers["X-Longterm-Tenant"] = str(self.tenant)
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        if request.file is not None:
            # Without a key to repeat it by: what a file holds is stored once anyway.
            headers["Content-Type"] = "application/octet-stream"
        elif request.method == "POST" and request.repeatable:
            headers["Idempotency-Key"] = request.write_id or new_id()
        return headers

    def _query(self, request: Request[Any]) -> str:
        members = given(**request.query, user_id=self._user(request))
        told = urlencode([(name, plain(value)) for name, value in members.items()])
        return f"?{told}" if told else ""

    def _user(self, request: Request[Any]) -> str | None:
        if request.user_id is None:
            return self.user_id
        if self.user_id is not None and request.user_id != self.user_id:
            raise NotAllowedError("This client is for another user.")
        return request.user_id


def _check_url(url: object, *, with_key: bool) -> None:
    try:
        address = httpx.URL(text(url, "url"))
    except httpx.InvalidURL:
        raise InvalidInputError("url must be the address of a server.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise InvalidInputError("url must be an address such as http://127.0.0.1:8765.")
    if address.query or address.fragment or "?" in str(url) or "#" in str(url):
        raise InvalidInputError("url must end with a path: what comes behind `?` or `#` is lost.")
    # httpx would send them in place of the key.
    if with_key and address.userinfo:
        raise InvalidInputError("url must not hold a name and a password where a key is given.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _json(body: Mapping[str, Any]) -> bytes:
    members = {name: _member(name, value) for name, value in body.items()}
    return json.dumps(members, ensure_ascii=False).encode()


def _member(name: str, value: Any) -> Any:
    # Only here: inside of what an application stores, a datetime would come back as text.
    if isinstance(value, datetime | UUID):
        return plain(value)
    check_json(value, name)
    return value
