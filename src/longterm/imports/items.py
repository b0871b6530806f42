"""Items of a JSON file, one after the other: an array, lines, or one object."""

import io
import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, cast

from longterm.errors import InvalidInputError
from longterm.imports.files import Source
from longterm.imports.values import mapping
from longterm.records.importing import Unread

# Of one item, one line, and of a file that is one object: these are held in RAM.
MOST_AT_ONCE = 64 * 1024 * 1024
_CHUNK = 256 * 1024
_BLANKS = re.compile(r"[ \t\r\n]*")
# A mark of the byte order, and blanks.
_NOTHING = b"\xef\xbb\xbf \t\r\n"
_LISTS = ("conversations", "results", "memories", "chats")


def items(source: Source) -> Iterator[tuple[str, Any]]:
    """Every item with where it stands; what is no JSON is an `Unread` where lines go on."""
    begin = _begin(source)
    if begin == b"[":
        yield from _of_array(source)
    elif begin == b"{":
        yield from _of_lines(source) if _has_lines(source) else _of_object(source)
    else:
        raise InvalidInputError(f"{source.name} is no JSON that can be imported.")


def _begin(source: Source) -> bytes:
    """The first character that is no blank; an array may be one line of any length."""
    with source.open() as file:
        while piece := file.read(_CHUNK):
            if begun := piece.strip(_NOTHING):
                return begun[:1]
    return b""


def _has_lines(source: Source) -> bool:
    """Whether the first line is JSON by itself."""
    with source.open() as file:
        while line := file.readline(MOST_AT_ONCE):
            if line.strip(_NOTHING):
                return _is_json(line)
    return False


def _of_array(source: Source) -> Iterator[tuple[str, Any]]:
    place = 0
    with source.open() as file:
        array = _Array(file, source.name)
        try:
            for item in array:
                place += 1
                yield f"item {place}", item
        # ValueError: no JSON, bytes that are no UTF-8, a number of thousands of digits.
        except (ValueError, RecursionError) as error:
            raise _damaged(source, place) from error


class _Array:
    """The items of a JSON array, each parsed as soon as it is there as a whole.

    Not by a parser of events: one that tells the path to each (ijson) needs 20 GB for a file of
    100,000 brackets. This one refuses what is nested deeper than Python's own.
    """

    def __init__(self, file: io.BufferedReader, name: str) -> None:
        self._file = file
        self._name = name
        self._decode = getincrementaldecoder("utf-8-sig")().decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._is_at_end = False

    def __iter__(self) -> Iterator[Any]:
        self._expect("[")
        if self._next() == "]":
            return
        while True:
            yield self._value()
            if self._next() == "]":
                return
            self._expect(",")

    def _value(self) -> Any:
        while True:
            self._next()
            try:
                value, end = self._parse(self._text, self._at)
            except json.JSONDecodeError:
                if self._is_at_end:
                    raise
            else:
                # A number may go on in what is not read yet.
                if end < len(self._text) or self._is_at_end or isinstance(value, dict | list):
                    self._at = end
                    return cast("object", value)
            self._read_on()

    def _next(self) -> str:
        """The next character that is no blank, which stays."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = self._at if blanks is None else blanks.end()
            if self._at < len(self._text) or self._is_at_end:
                return self._text[self._at : self._at + 1]
            self._read_on()

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise ValueError(f"{character} is missing")
        self._at += 1

    def _read_on(self) -> None:
        """Twice as much as is there: parsing it from the beginning again costs twice at most."""
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > MOST_AT_ONCE:
            raise InvalidInputError(
                f"{self._name} has an item of more than {MOST_AT_ONCE:,} bytes; "
                "what came before is stored."
            )
        data = self._file.read(max(_CHUNK, len(self._text)))
        self._is_at_end = not data
        self._text += self._decode(data, self._is_at_end)


def _of_lines(source: Source) -> Iterator[tuple[str, Any]]:
    with source.open() as file:
        number = 0
        while line := file.readline(MOST_AT_ONCE):
            number += 1
            where = f"line {number}"
            if not line.strip():
                continue
            if len(line) == MOST_AT_ONCE and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = file.readline(_CHUNK)
                reason = f"This line has more than {MOST_AT_ONCE:,} bytes."
                yield where, Unread(where=where, reason=reason)
                continue
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
