"""The body of a request: read once, and passed on byte for byte, with messages put between."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longterm.errors import InvalidInputError
from longterm.proxy.json_shapes import as_list

_BLANK = re.compile(r"[ \t\n\r]*")
_NO_OBJECT = "The body must be a JSON object."


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A request as it came; `places` is where each of its messages begins."""

    text: str
    data: dict[str, Any]
    places: Sequence[int]

    @property
    def messages(self) -> Sequence[Any]:
        """The messages; none where there is no list of them."""
        return as_list(self.data.get("messages"))

    @property
    def streams(self) -> bool:
        """Whether the answer is wanted as it comes."""
        return self.data.get("stream") is True

    def encoded(self, inserted: Sequence[tuple[int, dict[str, Any]]] = ()) -> bytes:
        """The body, with messages put before those of these numbers, and nothing else changed.

        Numbers that are not plain, members that are not known and the order of everything stay.
        """
        parts: list[str] = []
        end = 0
        for number, message in inserted:
            place = self.places[number]
            parts += [self.text[end:place], json.dumps(message, ensure_ascii=False), ","]
            end = place
        return "".join((*parts, self.text[end:])).encode()


def read(raw: bytes) -> Body:
    """Read a body; raises `InvalidInputError` where it is no JSON object."""
    try:
        text = raw.decode()
        members = {key: (value, place) for key, value, place in _members(text)}
        _, place = members.get("messages", (None, 0))
        places = list(_items(text, place)) if text[place : place + 1] == "[" else []
    except (ValueError, IndexError, RecursionError):
        raise InvalidInputError(_NO_OBJECT) from None
    return Body(text=text, data={key: value for key, (value, _) in members.items()}, places=places)


def _members(text: str) -> Iterator[tuple[str, Any, int]]:
    """The members of the object, each with the place where its value begins."""
    at = _expect(text, _skip(text, 0), "{")
    if text[at] == "}":
        at += 1
    else:
        more = True
        while more:
            if text[at] != '"':
                raise ValueError(_NO_OBJECT)
            key, at = _decoded(text, at)
            place = _expect(text, _skip(text, at), ":")
            value, at = _decoded(text, place)
            yield key, value, place
            at = _skip(text, at)
            more = text[at] == ","
            at = _expect(text, at, "," if more else "}")
    if _skip(text, at) != len(text):
        raise ValueError(_NO_OBJECT)


def _items(text: str, place: int) -> Iterator[int]:
    """Where each item of a list begins that was read before."""
    at = _skip(text, place + 1)
    while text[at] != "]":
        yield at
        _, at = _decoded(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at


def _decoded(text: str, at: int) -> tuple[Any, int]:
    return json.JSONDecoder().raw_decode(text, at)


def _expect(text: str, at: int, sign: str) -> int:
    if text[at] != sign:
        raise ValueError(_NO_OBJECT)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
