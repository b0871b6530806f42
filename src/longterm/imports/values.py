"""What values in foreign files are worth: texts, times, and which of them can't be kept."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from longterm.text.prompt_data import one_line
from longterm.text.storable import storable


def mapping(value: object) -> Mapping[str, Any]:
    """An object, or an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """A list, or an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text(value: object) -> str:
    """A text without what can't be kept; empty for anything else."""
    return storable(value) if isinstance(value, str) else ""


def identifier(value: object) -> str:
    """What something is called, also where that is a number; empty for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 2**63 else ""
    return text(value)


def spoken(value: object) -> str:
    """Words that are a text, or a list of parts of which some are texts."""
    parts = [text(part) or text(mapping(part).get("text")) for part in sequence(value)]
    return text(value) or "\n".join(part for part in parts if part)


def title(value: object) -> str | None:
    """A title of a length that we keep; None for one that is blank."""
    return one_line(text(value)[:1000])[:255].strip() or None


def moment(value: object) -> datetime | None:
    """A time, from seconds or milliseconds since 1970 or from ISO 8601; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _of_number(value)
    if isinstance(value, str):
        try:
            told = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        try:
            return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
        except OverflowError:
            return None
    return None


def whole(value: object, *, least: int) -> int | None:
    """A whole number that PostgreSQL can keep as such; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if least <= value < 2**31 else None


def weight(value: object) -> int:
    """About how many characters a value has; not recursive, it may be nested deeply."""
    total, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        told, listed = mapping(one), sequence(one)
        waiting += [*told.keys(), *told.values(), *listed]
        total += len(one) if isinstance(one, str) else 8
    return total


def _of_number(value: float) -> datetime | None:
    try:
        seconds = float(value)
        if not math.isfinite(seconds) or seconds <= 0:
            return None
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
