"""How much a tenant has, and what its models cost."""

from collections.abc import Mapping
from dataclasses import dataclass

from longterm.records.usage import Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many there are of each; facts are those that hold now."""

    users: int
    conversations: int
    messages: int
    facts: int
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The counts of a tenant, its jobs by state, and its models by day."""

    counts: Counts
    jobs: Mapping[str, int]
    usage: tuple[Spending, ...]
