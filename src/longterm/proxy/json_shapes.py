"""JSON of strangers: what is not of the shape that is wanted counts as empty."""

from typing import Any, cast


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list."""
    return [cast("dict[str, Any]", one) for one in as_list(value) if isinstance(one, dict)]
