"""What the shape of the code promises."""

import inspect
from collections import Counter

from longterm import AsyncTenant, Tenant
from longterm.memory.operations import Operations

PARTS = [part for part in AsyncTenant.__mro__ if issubclass(part, Operations)]


def test_no_two_nouns_define_the_same_name() -> None:
    """They are put together in one class, where the second would silently give way."""
    names = Counter(
        name
        for part in PARTS
        if part is not Operations
        for name in vars(part)
        if not name.startswith("__")
    )

    assert [name for name, times in names.items() if times > 1] == []


def test_the_blocking_library_has_every_operation() -> None:
    operations = {name for name in dir(AsyncTenant) if not name.startswith("_")}

    assert operations <= set(dir(Tenant))


def test_every_operation_is_described() -> None:
    described = [
        name
        for name, method in inspect.getmembers(AsyncTenant, inspect.isfunction)
        if not name.startswith("_") and not method.__doc__
    ]

    assert described == []
