"""Headers: which go up to the model's server, and which come down from it."""

from collections.abc import Sequence

# As bytes, so that letters of any encoding stay what they are.
Pairs = Sequence[tuple[bytes, bytes]]

# Of one connection, and not of the request (RFC 9110, 7.6.1).
_HOP_BY_HOP = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization",
        b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip
# Ours to set, between us and the client only, or of a browser.
_NOT_UP = _HOP_BY_HOP | {
    b"accept-encoding", b"authorization", b"content-length", b"cookie", b"expect", b"forwarded",
    b"host", b"origin", b"referer", b"via", b"x-real-ip",
}  # fmt: skip
_NOT_UP_PREFIXES = (b"x-longterm-", b"x-forwarded-", b"sec-")
# A cookie of the model's server is none of ours, and httpx has undone the encoding.
_NOT_DOWN = _HOP_BY_HOP | {
    b"content-encoding", b"content-length", b"date", b"server", b"set-cookie",
    b"strict-transport-security", b"alt-svc", b"access-control-allow-origin",
    b"access-control-expose-headers",
}  # fmt: skip

# By this a request is known that comes back to where it came from.
RELAYED = "x-longterm-relayed"


def up(given: Pairs, key: str | None) -> list[tuple[bytes, bytes]]:
    """The headers of a request, with the key for the model's server."""
    passed = [pair for pair in _without(given, _NOT_UP) if not pair[0].startswith(_NOT_UP_PREFIXES)]
    # Passed on as it comes: what is compressed would have to be undone to be read.
    passed += [(b"accept-encoding", b"identity"), (RELAYED.encode(), b"1")]
    if key is not None:
        passed.append((b"authorization", f"Bearer {key}".encode()))
    return passed


def down(given: Pairs, ours: dict[str, str]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, with ours."""
    # No other proxy on the way may collect a stream before it passes it on.
    own = {b"x-accel-buffering": b"no", **encoded(ours)}
    return [*own.items(), *_without(given, own.keys() | _NOT_DOWN)]


def encoded(ours: dict[str, str]) -> dict[bytes, bytes]:
    """Headers of our own as they are sent."""
    return {name.encode(): value.encode() for name, value in ours.items()}


def _without(given: Pairs, names: frozenset[bytes] | set[bytes]) -> list[tuple[bytes, bytes]]:
    """Those that are not of these names, and not named as the connection's own."""
    pairs = [(name.lower(), value) for name, value in given]
    kept = {
        each.strip().lower()
        for name, value in pairs
        if name == b"connection"
        for each in value.split(b",")
    }
    return [pair for pair in pairs if pair[0] not in names | kept]
