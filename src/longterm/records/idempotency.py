"""Answers that are kept, so that a request can be repeated and is done once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A request under way that carries a key of its caller's choice."""

    id: str
    caller: str
    key: str
    request_hash: bytes

    @property
    def name(self) -> str:
        """The same for each attempt at the same request."""
        return f"{self.caller}:{self.request_hash.hex()}:{self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """What the first request with a key was answered; without a status it is under way."""

    attempt: str
    request_hash: bytes
    status: int | None
    content_type: str | None
    body: bytes | None
