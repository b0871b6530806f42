"""What can be saved of a model's JSON answer, however it is wrapped and wherever it ends."""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

Item = TypeVar("Item", bound=BaseModel)

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OBJECT = re.compile(r"\{")
# Amid prose "[1]" is a footnote and "[]" a shrug.
_LIST = re.compile(r"\[\s*(?=[{\"])")

# Each start can cost a reading to the end of the text.
_MOST_STARTS = 20

# Of these alone one can tell that they are complete; of `12` more digits may have been cut off.
_CLOSED = (dict, list, str)


class NotJsonError(ValueError):
    """There is no list in the answer."""


def items(text: str, key: str) -> list[object]:
    """The items of the list under `key`, or of the bare list, that a model answered with.

    Prose and fences around it are skipped. Of an answer that was cut off the complete items are
    kept; when not even one is complete, there is no list.
    """
    for part in _parts(text):
        found = _under_key(part, key)
        if found is None:
            found = _bare(part)
        if found is not None:
            return found
    raise NotJsonError("The answer holds no JSON list.")


def validated(found: Iterable[object], model: type[Item]) -> tuple[list[Item], list[str]]:
    """The items that are valid, and for each other one why not, without a word of its content."""
    good: list[Item] = []
    reasons: list[str] = []
    for number, item in enumerate(found, start=1):
        try:
            good.append(model.model_validate(item))
        except ValidationError as error:
            reasons.append(f"item {number}: {_why(error, model)}")
    return good, reasons


def _why(error: ValidationError, model: type[BaseModel]) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return ", ".join(sorted({f"{_field(each['loc'], model)} {each['type']}" for each in details}))


def _field(location: Sequence[int | str], model: type[BaseModel]) -> str:
    # A name that is not a field's was made up by the model, maybe from what the user said.
    name = location[0] if location else "it"
    return str(name) if name == "it" or name in model.model_fields else "a field"


def _parts(text: str) -> list[str]:
    whole = text.strip()
    fenced = [match[1].strip() for match in _FENCE.finditer(text)]
    # A fence inside of JSON is part of what somebody said.
    return [whole, *fenced] if whole.startswith(("{", "[")) else [*fenced, whole]


def _under_key(text: str, key: str) -> list[object] | None:
    for start in _starts(_OBJECT, text):
        at = _find_key(text, start + 1, key)
        if at is not None and (found := _read_list(text, at)) is not None:
            return found
    return None


def _bare(text: str) -> list[object] | None:
    whole, end = _value(text, 0)
    if isinstance(whole, list) and end == len(text):
        return cast("list[object]", whole)
    for start in _starts(_LIST, text):
        if (found := _read_list(text, start)) is not None:
            return found
    return None


def _starts(pattern: re.Pattern[str], text: str) -> list[int]:
    found = islice(pattern.finditer(text), _MOST_STARTS)
    return [match.start() for match in found if _is_outermost(text[: match.start()])]


def _is_outermost(before: str) -> bool:
    # A list inside of an item is not the list, though it may be the only complete one.
    return all(before.count(one) == before.count(other) for one, other in ("{}", "[]"))


def _find_key(text: str, at: int, key: str) -> int | None:
    """Where the list under `key` begins in the object whose members begin at `at`."""
    while True:
        name, at = _value(text, at)
        at = _skip(text, at)
        if not isinstance(name, str) or text[at : at + 1] != ":":
            return None
        at = _skip(text, at + 1)
        if name == key and text[at : at + 1] == "[":
            return at
        _, at = _value(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ",":
            return None
        at += 1


def _read_list(text: str, at: int) -> list[object] | None:
    """The complete items of the list that begins at `at`; None when it has no end and no item."""
    found: list[object] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        item, at = _value(text, at)
        at = _skip(text, at)
        closed = text[at : at + 1] in (",", "]") or isinstance(item, _CLOSED)
        if item is _NOTHING or not closed:
            return found or None
        found.append(cast("object", item))
        if text[at : at + 1] != ",":
            return found
        at = _skip(text, at + 1)
    return found


class _Nothing:
    """Stands for a value that is not there; None would be JSON's null."""


_NOTHING = _Nothing()


def _value(text: str, at: int) -> tuple[object, int]:
    """The JSON value at `at` and where it ends."""
    try:
        return cast("tuple[object, int]", _DECODER.raw_decode(text, _skip(text, at)))
    # Brackets nested a thousand deep are a RecursionError, a number of 5,000 digits a ValueError.
    except (ValueError, RecursionError):
        return _NOTHING, at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
