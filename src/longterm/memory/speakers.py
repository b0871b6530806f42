"""Who spoke in whose conversations when they were last searched: a guess that saves a wait."""

from collections import OrderedDict

_Key = tuple[int, str]


class Speakers:
    """The names of the users searched last, bounded; a wrong guess costs time and nothing else."""

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._names: OrderedDict[_Key, tuple[str, ...]] = OrderedDict()

    def get(self, key: _Key) -> tuple[str, ...]:
        """The names that were last seen for a tenant's user."""
        return self._names.get(key, ())

    def put(self, key: _Key, names: tuple[str, ...]) -> None:
        """Keep the names, in place of those that were not asked for longest."""
        self._names[key] = names
        self._names.move_to_end(key)
        if len(self._names) > self._size:
            self._names.popitem(last=False)

    def users(self) -> set[_Key]:
        """Whose names are known."""
        return {*self._names}

    def drop(self, key: _Key) -> None:
        """Forget a user."""
        self._names.pop(key, None)
