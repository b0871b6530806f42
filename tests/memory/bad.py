"""What no operation accepts, by the name of the parameter."""

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from tests.memory.bad_made import (
    Values,
    cursor,
    cycle,
    deep,
    deep_objects,
    deep_text,
    huge,
    imported,
    in_list,
    in_object,
    plain,
    with_message,
)

_NO_TEXT: Values = plain(1, 1.5, True, b"bytes", ["list"], {"a": 1}, math.nan) | {
    "object": object,
    "deep": lambda: deep(100_000),
    "NUL": lambda: "a\x00b",
    "lone surrogate": lambda: "\ud800",
    "half a pair": lambda: "a\udfffb",
}
_NAME: Values = (
    _NO_TEXT
    | plain("", " ", "\n\t", "\u3000\u2003", "\x1f")
    | {"256": lambda: "x" * 256, "300": lambda: "x" * 300, "1 MB": lambda: "x" * 10**6}
)
_CONTENT: Values = (
    _NO_TEXT
    | plain("", " ", "\r\n\t\v\f", "\u00a0\u2003", "\x1c\x1d\x1e\x1f")
    | {
        "limit + 1": lambda: "x" * 1_000_001,
        "limit + 1 in bytes": lambda: "é" * 500_001,
        "10 MB": lambda: "x" * 10_000_000,
    }
)
_UUID: Values = _NO_TEXT | plain(
    "", " ", "1", "not-a-uuid", "0" * 31, "g" * 32, f"{uuid4()}0", 2**128
)
_NO_NUMBER: Values = plain("1", "", b"1", 1.0, 0.5, math.nan, math.inf, True, False, [1], {}) | {
    "object": object,
    "deep": lambda: deep(100_000),
}
_LIMIT: Values = (
    _NO_NUMBER
    | plain(0, -1, 1001, 2**31, 2**63, 2**64, -(2**63))
    | {
        "huge": huge,
        "huge and negative": lambda: -huge(),
    }
)
_BUDGET: Values = _NO_NUMBER | plain(-1, 2**63, 2**64) | {"huge": huge}
_KINDS: Values = plain((), [], "turn", ("turn", "thought"), [1], 1, {"turn": 1}, b"turn")
_OFFSET: Values = _NO_NUMBER | plain(-1, 2**31, 2**63, -(2**63)) | {"huge": huge}
_MESSAGE_ID: Values = (
    plain(0, -1, 2**63, True, 1.0, 1.5, math.nan, b"1", [1], {})
    | plain("", " ", "0", "-1", "1.0", " 1", "1 ", "+1", "0x1", "1e3", "x", "٣", "²", "9" * 19)
    | {
        "object": object,
        "huge": huge,
        "huge text": lambda: "9" * 10_000,
        "NUL": lambda: "1\x00",
        "lone surrogate": lambda: "\ud800",
    }
)
NAIVE = datetime(2024, 1, 1)  # noqa: DTZ001
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_EAST, _WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
_MOMENT: Values = (
    plain(1, 1.5, "2024-01-01T00:00:00Z", b"", True, [], date(2024, 1, 1))
    | plain(
        NAIVE,
        LAST.replace(tzinfo=None),
        FIRST.replace(tzinfo=None),
        LAST.replace(tzinfo=_WEST),
        FIRST.replace(tzinfo=_EAST),
    )
    | {"object": object}
)
_RETENTION: Values = (
    plain(0, -1, 0.0, -0.5, True, False, math.nan, math.inf, -math.inf, 1e300, 1e-300, 876_001)
    | plain("", "forever", "KEEP", "24", b"keep", [], {}, [1])
    | plain(timedelta(0), timedelta(-1), timedelta.max, timedelta.min, timedelta(36_501))
    | {"object": object, "huge": lambda: 10**400, "huge and negative": lambda: -(10**400)}
)
_JSON_INSIDE: Values = {
    "NaN": lambda: math.nan,
    "Infinity": lambda: math.inf,
    "-Infinity": lambda: -math.inf,
    "bytes": lambda: b"x",
    "set": lambda: {1},
    "object": object,
    "datetime": lambda: datetime.now(UTC),
    "Decimal": lambda: Decimal(1),
    "complex": lambda: 1j,
    "class": lambda: int,
    "generator": lambda: (one for one in [1]),
    "NUL": lambda: "a\x00b",
    "lone surrogate": lambda: "\ud800",
    "number as key": lambda: {1: 2},
    "None as key": lambda: {None: 2},
    "True as key": lambda: {True: 2},
    "bytes as key": lambda: {b"a": 2},
    "tuple as key": lambda: {(1,): 2},
    "NUL in a key": lambda: {"\x00": 1},
    "surrogate in a key": lambda: {"\udc00": 1},
    "an integer of 4,000 digits": lambda: 10**4000,
    "65 levels": lambda: deep(65),
    "100,000 levels": lambda: deep(100_000),
    "100,000 levels of objects": lambda: deep_objects(100_000),
    "a cycle": cycle,
}
_LARGE: Values = {
    "1 MB and 8 bytes": lambda: {"a": "x" * 1_000_000},
    "10 MB in pieces": lambda: {"a": ["é" * 1000] * 5_000},
}
_JSON: Values = {
    **{f"{label} in an object": in_object(make) for label, make in _JSON_INSIDE.items()},
    **{f"{label} in a list": in_list(make) for label, make in _JSON_INSIDE.items()},
}
_JSON_OBJECT: Values = (
    _JSON
    | plain(1, 0, 1.5, True, False, "", "{}", b"", [], ["a"], (), [("a", 1)])
    | {
        "object": object,
        "set": lambda: {1},
        "keys that are no text": lambda: {1: 2},
    }
)
_FLAG: Values = plain(0, 1, "", "yes", "junk", b"", [], [1], {}, 1.0, math.nan) | {"object": object}
_ROLE: Values = plain(
    None, "", "User", "system", "tool", "user ", 1, True, b"user", ["user"], {}
) | {
    "object": object,
    "long": lambda: "x" * 10**6,
    "deep": lambda: deep(100_000),
    "NUL": lambda: "user\x00",
    "lone surrogate": lambda: "\ud800",
}
_CURSOR: Values = plain(
    1, 1.5, True, b"x", ["x"], {}, "", " ", "x", "====", "é", "%", "e30", "W10", "bnVsbA"
) | {
    "object": object,
    "NUL": lambda: "\x00",
    "lone surrogate": lambda: "\ud800",
    "10 MB": lambda: "A" * 10_000_000,
    "deep JSON": lambda: deep_text(100_000),
    "a UUID": lambda: str(uuid4()),
    "quoted": lambda: quote(cursor("2024-01-01T00:00:00+00:00", str(uuid4())) + "=="),
    "no time": lambda: cursor("yesterday", str(uuid4())),
    "a time without zone": lambda: cursor("2024-01-01T00:00:00", str(uuid4())),
    "a number for a time": lambda: cursor(1, str(uuid4())),
    "no UUID": lambda: cursor("2024-01-01T00:00:00+00:00", "x"),
    "a number for a UUID": lambda: cursor("2024-01-01T00:00:00+00:00", 1),
}
_VARIABLES: Values = plain(1, "text", [], [("a", 1)], True, b"", {1: 2}, {None: 1}) | {
    "object": object
}

_CONVERSATIONS: Values = plain(
    1, 1.5, True, "text", b"bytes", [None], [1], ["text"], [{"a": 1}]
) | {
    "object": object,
    "no messages": lambda: [imported(messages=None)],
    "a number for messages": lambda: [imported(messages=1)],
    "None for a message": lambda: [imported(messages=[None])],
    "text for messages": lambda: [imported(messages="text")],
    "a bad title": lambda: [imported(title=" ")],
    "bad metadata": lambda: [imported(metadata=[])],
    "a role that is not known": lambda: [with_message(role="system")],
    "blank words": lambda: [with_message(content=" ")],
    "NUL in a name": lambda: [with_message(name="\x00")],
    "a naive time": lambda: [with_message(created_at=NAIVE)],
    "the second is bad": lambda: [imported(), with_message(content="\ud800")],
}

_MESSAGES: Values = plain((), [], "text", 1, {}, [1], [None], ["text"], [[]]) | {
    "too many": lambda: [{"role": "user", "content": "words"}] * 1001,
}

_FACT: Values = _CONTENT | {"501": lambda: "x" * 501}
_WORD: Values = _NO_TEXT | plain("", " ", "junk", "FACT", "x" * 300)
_SHARE: Values = plain(-0.1, 1.1, 2, -1, "1", b"", True, False, [], {}, math.nan, math.inf) | {
    "object": object,
    "huge": huge,
}
_REFERENCE: Values = plain(1.5, True, b"bytes", [], {}, "", " ", "x" * 256) | {
    "object": object,
    "NUL": lambda: "\x00",
    "lone surrogate": lambda: "\ud800",
}

_BY_NAME: dict[str, Values] = {
    "type": _WORD,
    "category": _NAME,
    "confidence": _SHARE,
    "importance": _SHARE,
    "source_conversation_id": _UUID,
    "source_message_id": _MESSAGE_ID,
    "actor": _WORD,
    "fact_id": _UUID,
    "pinned": _FLAG,
    "text": _NAME,
    "as_of": _MOMENT,
    "place_id": _NAME,
    "place_name": _NAME,
    "notes": _NAME,
    "user_id": _NAME,
    "key": _NAME,
    "mode": _NAME,
    "name": _NAME,
    "title": _NAME,
    "search": _NAME,
    "content": _CONTENT,
    "query": _CONTENT,
    "response": _CONTENT,
    "body": _CONTENT,
    "conversation_id": _UUID,
    "write_id": _UUID,
    "session_id": _UUID,
    "message_id": _MESSAGE_ID,
    "before": _MESSAGE_ID,
    "after": _MESSAGE_ID,
    "around": _MESSAGE_ID,
    "days": _NO_NUMBER | plain(0, -1, 367) | {"huge": huge},
    "role": _ROLE,
    "limit": _LIMIT,
    "count": _LIMIT,
    "offset": _OFFSET,
    "keep_last": _OFFSET,
    "older_than": _MOMENT | plain(timedelta(microseconds=-1), timedelta.max, timedelta.min),
    "created_at": _MOMENT,
    "archive": _FLAG,
    "archived": _FLAG,
    "retention": _RETENTION,
    "conversation_retention": _RETENTION,
    "session_retention": _RETENTION,
    "apply": _FLAG,
    "message": _CONTENT,
    "memory": _FLAG,
    "temporary": _FLAG,
    "kinds": _KINDS,
    "scope": _WORD,
    "key_id": _UUID,
    "messages": _MESSAGES,
    "budget_tokens": _NO_NUMBER | plain(-1, 10**7) | {"huge": huge},
    "min_turn": _NO_NUMBER | plain(0, -1, 2**31) | {"huge": huge},
    "model_calls_per_day": _BUDGET,
    "model_tokens_per_day": _BUDGET,
    "value": _JSON_OBJECT | _LARGE,
    "metadata": _JSON_OBJECT,
    "variables": _VARIABLES,
    "cursor": _CURSOR,
    "custom_payload": _JSON_INSIDE | _JSON | _LARGE,
    "tool_calls": _JSON_INSIDE | _LARGE,
    "suggested_values": _JSON_INSIDE,
    "suggested_actions": _JSON_INSIDE,
    "conversations": _CONVERSATIONS,
    "path": plain(None, 1, 1.5, b"path", "", [], {}, "not there", "/", "x" * 5000)
    | {
        "object": object,
        "NUL": lambda: "a\x00b",
        "lone surrogate": lambda: "\ud800",
    },
    "format": _WORD | plain(None),
}

_ELSEWHERE: dict[tuple[str, str], Values] = {
    ("list_audit", "after"): _MOMENT,
    ("add_fact", "content"): _FACT,
    ("update_fact", "content"): _FACT,
    # A session that can't be is as good as one that is not there.
    ("chat_in_session", "session_id"): {},
    ("recall", "before"): _MOMENT,
    ("recall", "after"): _MOMENT,
    ("list_users", "cursor"): _NAME,
    ("add_poi", "conversation_id"): _REFERENCE,
    ("add_poi", "message_id"): _REFERENCE,
    ("add_poi_mention", "conversation_id"): _REFERENCE,
    ("add_poi_mention", "message_id"): _REFERENCE,
    # 300 characters are too many for a name, and not for a note.
    ("add_poi", "notes"): _NO_TEXT | plain(" ") | {"501": lambda: "x" * 501},
}

# Where None is nothing to leave out, but missing.
_NEEDED = {
    "user_id", "key", "mode", "content", "query", "response", "body", "session_id", "message_id",
    "role", "count", "offset", "archive", "value", "conversations", "fact_id", "actor",
    "place_id", "place_name",
}  # fmt: skip
_ALSO_NEEDED = {
    ("get_conversation", "conversation_id"),
    ("update_conversation", "conversation_id"),
    ("delete_conversation", "conversation_id"),
    ("get_messages", "conversation_id"),
    ("forget_conversation", "conversation_id"),
    ("digest", "conversation_id"),
    ("index", "conversation_id"),
    ("learn", "conversation_id"),
    ("extract_memories", "conversation_id"),
    ("list_episodes", "conversation_id"),
    ("add_messages", "conversation_id"),
    ("create_key", "name"),
    ("get_rolling_summary", "conversation_id"),
    ("rebuild_memory", "apply"),
    ("recall", "limit"),
    ("chat", "message"),
    ("chat", "memory"),
    ("chat", "temporary"),
    ("recall", "kinds"),
    ("recall", "budget_tokens"),
    ("get_conversation_history", "limit"),
    ("list_audit", "limit"),
    ("list_conversations", "limit"),
    ("get_messages", "limit"),
    ("set_template", "name"),
    ("get_template", "name"),
    ("delete_template", "name"),
    ("render_template", "name"),
}
# An answer that calls tools needs no words.
_GOOD_FOR_ONCE = {("add_message", "content", "''")}
_MAY_BE_LEFT_OUT = {
    ("render_template", "user_id"),
    ("add_fact", "key"),
    ("list_facts", "key"),
    ("list_audit", "user_id"),
    ("update_fact", "content"),
    ("add_poi", "message_id"),
    ("audit_memory", "user_id"),
    ("get_insight", "user_id"),
    ("chat_in_session", "session_id"),
}


def makers(operation: str, name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What makes every bad value for a parameter, with a label."""
    place = (operation, name)
    if (name in _NEEDED or place in _ALSO_NEEDED) and place not in _MAY_BE_LEFT_OUT:
        yield "None", lambda: None
    for label, make in _ELSEWHERE.get(place, _BY_NAME[name]).items():
        if (*place, label) not in _GOOD_FOR_ONCE:
            yield label, make
    if place == ("get_session_history", "limit"):
        yield "51", lambda: 51


def values(operation: str, name: str) -> Iterator[tuple[str, Any]]:
    """Every bad value for a parameter, with a label."""
    for label, make in makers(operation, name):
        yield label, make()
