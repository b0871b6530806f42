"""What all shapes have in common."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

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


# For integers that are strict, so that `true` is not 1: to JSON, 42.0 is the integer 42.
Whole = BeforeValidator(_whole)


class In(BaseModel):
    """What comes in: a member that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


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
