"""Values that are made when they are needed, because they are large, deep, or hard to write down."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import cache
from typing import Any

from longterm.records.transfer import ImportedConversation, ImportedMessage

# Made when they are needed: some are 10 MB large or 100,000 levels deep.
Values = dict[str, Callable[[], Any]]


def plain(*values: Any) -> Values:
    return {f"{value!r:.40}": lambda value=value: value for value in values}


# Once for all: 100,000 levels take a tenth of a second.
@cache
def deep(levels: int) -> Any:
    """A list in a list in a list …"""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@cache
def deep_objects(levels: int) -> Any:
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def deep_text(levels: int) -> str:
    return urlsafe_b64encode(b"[" * levels).decode()


def cycle() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def in_object(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: {"a": make()}


def in_list(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: {"a": [1, [make()]]}


def imported(**changes: Any) -> ImportedConversation:
    told: dict[str, Any] = {"messages": [], **changes}
    return ImportedConversation(**told)


def with_message(**changes: Any) -> ImportedConversation:
    good: dict[str, Any] = {"role": "user", "content": "words"}
    return imported(messages=[ImportedMessage(**good), ImportedMessage(**(good | changes))])


def cursor(moment: object, id_: object) -> str:
    # Cursors are opaque; this knows what is inside, to get as far in as can be.
    return urlsafe_b64encode(json.dumps([moment, id_, False]).encode()).decode().rstrip("=")


def huge() -> int:
    """An integer that Python itself refuses to write out."""
    return 10**5000
