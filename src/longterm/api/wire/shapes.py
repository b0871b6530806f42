"""What all shapes have in common."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Self, TypeVar
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Strict

from longterm.errors import MemoryNotFoundError

T = TypeVar("T")

UserId = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=255,
        description="Whose memory it is; with a key of the scope `user` it may be left out.",
        examples=["ada"],
    ),
]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _written(value: object) -> object:
    """Let a time be text with a date in it: a number would be taken for seconds since 1970."""
    if value is not None and not (isinstance(value, str) and "-" in value[1:]):
        raise ValueError("a time is text, such as 2026-05-04T12:00:00Z")
    return value


# To JSON, 42.0 is the integer 42.
Whole = BeforeValidator(_whole)
# JSON has no type for these, so they come as text.
Id = Annotated[UUID, Strict(False)]
Time = Annotated[AwareDatetime | None, Strict(False), BeforeValidator(_written)]


class In(BaseModel):
    """What comes in: no unknown members, and no other types (`true` is not 1, nor is "1")."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Out(BaseModel):
    """What goes out, made from the fields of a record."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, record: object) -> Self:
        """Translate a record."""
        return cls.model_validate(record)


class Items(Out, Generic[T]):
    """A list, or one page of it."""

    items: list[T]
    next_cursor: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last one."),
    ] = None

    @classmethod
    def all(cls, records: Sequence[object]) -> Self:
        """Translate a list that has no further page."""
        return cls.model_validate({"items": records, "next_cursor": None})


def example(**members: Any) -> ConfigDict:
    """Show a shape by an example."""
    return ConfigDict(json_schema_extra={"examples": [members]})


def there(found: bool) -> None:
    """Say so when what was named is not there."""
    if not found:
        raise MemoryNotFoundError
