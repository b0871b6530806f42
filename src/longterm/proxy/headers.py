"""Headers: which go up to the model's server, and which come down from it."""

from collections.abc import Iterable, Mapping

Pairs = Iterable[tuple[str, str]]

# Of one connection, and not of the request (RFC 9110, 7.6.1).
_HOP_BY_HOP = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
# Ours to set, between us and the client only, or of a browser.
_NOT_UP = _HOP_BY_HOP | {
    "accept-encoding", "authorization", "content-length", "cookie", "expect", "forwarded", "host",
    "origin", "referer", "via", "x-real-ip",
}  # fmt: skip
_NOT_UP_PREFIXES = ("x-longterm-", "x-forwarded-", "sec-")
# A cookie of the model's server is none of ours, and httpx has undone the encoding.
_NOT_DOWN = _HOP_BY_HOP | {
    "content-encoding", "content-length", "date", "server", "set-cookie", "strict-transport-security",
    "alt-svc", "access-control-allow-origin", "access-control-expose-headers",
}  # fmt: skip


# By this a request is known that comes back to where it came from.
RELAYED = "x-longterm-relayed"


def up(given: Pairs, key: str | None) -> dict[str, str]:
    """The headers of a request, with the key for the model's server."""
    passed = {
        name.lower(): value
        for name, value in given
        if name.lower() not in _NOT_UP and not name.lower().startswith(_NOT_UP_PREFIXES)
    }
    # Passed on as it comes: what is compressed would have to be undone to be read.
    passed["accept-encoding"] = "identity"
    passed[RELAYED] = "1"
    if key is not None:
        passed["authorization"] = f"Bearer {key}"
    return passed


def down(given: Pairs, ours: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer, with ours."""
    passed = {name.lower(): value for name, value in given if name.lower() not in _NOT_DOWN}
    # No other proxy on the way may collect a stream before it passes it on.
    return {"x-accel-buffering": "no", **passed, **ours}
