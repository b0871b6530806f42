"""Work on long texts, done in a thread: the event loop serves everybody else meanwhile."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Reading a hostile text of this length takes a few milliseconds; a thread costs a tenth of one.
LONGEST_ON_LOOP = 200


async def call(length: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that reads a text of this length, in a thread when it is long."""
    if length <= LONGEST_ON_LOOP:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)
