"""One page of a longer list."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """Some items, and where to go on; `next_cursor` is None on the last page.

    `previous_cursor` leads the other way, where there is another way.
    """

    items: tuple[T_co, ...]
    next_cursor: str | None = None
    previous_cursor: str | None = None

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> T_co:
        return self.items[index]
