"""What is journalled: opaque JSON with an id, a time and the stream that orders it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from longterm.errors import InvalidInputError
from longterm.records.json import JsonObject

# The JSON of a record without its id, which is made when it is written.
Body: TypeAlias = bytes

KEYS = {"stream", "payload", "at"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One acknowledged record; ids ascend within a stream as the records were appended."""

    id: str
    at: datetime
    stream: str
    payload: JsonObject


def encode(record: Mapping[str, Any]) -> Body:
    """The JSON of `{"stream": …, "payload": {…}}`, checked; `at` is now unless given."""
    if set(record) - KEYS:
        raise InvalidInputError("A journal record has `stream`, `payload` and perhaps `at`.")
    body = {
        "at": _moment(record.get("at")).isoformat(),
        "stream": _stream(record.get("stream")),
        "payload": _payload(record.get("payload")),
    }
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"A journal record holds only JSON: {error}.") from error
    # Half of a surrogate pair is no UTF-8, but it is a Python string: what went in comes out.
    return text.encode("utf-8", "surrogatepass")


def decode(record_id: str, body: Body) -> Record:
    """What `encode` made; raises ValueError, KeyError or TypeError where it did not."""
    fields = json.loads(body.decode("utf-8", "surrogatepass"))
    return Record(
        id=record_id,
        at=datetime.fromisoformat(fields["at"]),
        stream=fields["stream"],
        payload=fields["payload"],
    )


def _moment(at: object) -> datetime:
    if at is None:
        return datetime.now(UTC)
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise InvalidInputError("The time of a journal record carries its time zone.")
    return at.astimezone(UTC)


def _stream(stream: object) -> str:
    if not isinstance(stream, str) or not stream:
        raise InvalidInputError("The stream of a journal record is a text that is not empty.")
    return stream


def _payload(payload: object) -> object:
    if not isinstance(payload, Mapping):
        raise InvalidInputError("The payload of a journal record is a JSON object.")
    return dict(payload)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
