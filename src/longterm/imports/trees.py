"""Threads that are kept as trees: from a leaf up to the root."""

from collections.abc import Callable, Mapping
from typing import Any


class TreeError(ValueError):
    """The messages lead in a circle."""


def path_to(
    leaf: object, nodes: Mapping[str, Mapping[str, Any]], parent: Callable[[Mapping[str, Any]], Any]
) -> list[tuple[str, Mapping[str, Any]]]:
    """The nodes from the root to a leaf; not recursive, a thread may have any length."""
    path: list[tuple[str, Mapping[str, Any]]] = []
    seen: set[str] = set()
    at = leaf
    while isinstance(at, str) and at in nodes:
        if at in seen:
            raise TreeError("its messages lead in a circle")
        seen.add(at)
        path.append((at, nodes[at]))
        at = parent(nodes[at])
    return path[::-1]
