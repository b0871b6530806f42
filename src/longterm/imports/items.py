"""Items of a JSON file, one after the other: an array, lines, or one object."""

import json
from collections.abc import Iterator
from typing import Any

import ijson  # pyright: ignore[reportMissingTypeStubs]

from longterm.errors import InvalidInputError
from longterm.imports.files import Source
from longterm.imports.values import mapping
from longterm.records.importing import Unread

# Of one line, and of a file that is one object: these are held in RAM.
MOST_AT_ONCE = 64 * 1024 * 1024
_LISTS = ("conversations", "results", "memories", "chats")


def items(source: Source) -> Iterator[tuple[str, Any]]:
    """Every item with where it stands; what is no JSON is an `Unread` where lines go on."""
    with source.open() as file:
        first = file.readline(MOST_AT_ONCE)
        while first and not first.strip(b"\xef\xbb\xbf \t\r\n"):
            first = file.readline(MOST_AT_ONCE)
    begin = first.strip(b"\xef\xbb\xbf \t\r\n")[:1]
    if begin == b"[":
        yield from _of_array(source)
    elif begin == b"{":
        yield from _of_lines(source) if _is_json(first) else _of_object(source)
    else:
        raise InvalidInputError(f"{source.name} is no JSON that can be imported.")


def _of_array(source: Source) -> Iterator[tuple[str, Any]]:
    place = 0
    with source.open() as file:
        if file.peek(3)[:3] == b"\xef\xbb\xbf":
            file.read(3)
        try:
            for item in ijson.items(file, "item", use_float=True):
                place += 1
                yield f"item {place}", item
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise _damaged(source, place) from error


def _of_lines(source: Source) -> Iterator[tuple[str, Any]]:
    with source.open() as file:
        number = 0
        while line := file.readline(MOST_AT_ONCE):
            number += 1
            if not line.strip():
                continue
            where = f"line {number}"
            try:
                told = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                yield where, Unread(where=where, reason="This line is no JSON.")
                continue
            yield from ((where, item) for item in _inner(told))


def _of_object(source: Source) -> Iterator[tuple[str, Any]]:
    with source.open() as file:
        data = file.read(MOST_AT_ONCE + 1)
    if len(data) > MOST_AT_ONCE:
        raise InvalidInputError(f"{source.name} is one object of more than {MOST_AT_ONCE:,} bytes.")
    try:
        told = mapping(json.loads(data.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        raise _damaged(source, 0) from error
    for place, item in enumerate(_inner(told), 1):
        yield f"item {place}", item


def _inner(item: object) -> list[Any]:
    """What an object holds that is nothing but a wrapping; else the object."""
    told = mapping(item)
    return next((told[name] for name in _LISTS if isinstance(told.get(name), list)), [item])


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def _damaged(source: Source, place: int) -> InvalidInputError:
    return InvalidInputError(
        f"{source.name} is damaged or cut off after item {place}; what came before is stored."
    )
