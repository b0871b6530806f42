"""What every measurement works with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longterm.bench import data
from longterm.bench.bare import Bare
from longterm.bench.data import Admin, Sizes
from longterm.bench.timing import Case, Progress, interleave
from longterm.library import AsyncTenant

Taken = dict[str, list[float]]
Pair = tuple[list[float], list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A filled database, seen through Longterm and past it."""

    mem: AsyncTenant
    bare: Bare
    admin: Admin
    conninfo: str
    sizes: Sizes
    progress: Progress

    async def in_turn(self, what: str, rounds: int, cases: Mapping[str, Case]) -> Taken:
        """Run the cases in turn, and return their milliseconds."""
        warm_up = self.sizes.warm_up
        self.progress.start(what, warm_up + rounds)
        return await interleave(cases, rounds=rounds, warm_up=warm_up, progress=self.progress)

    async def pair(self, what: str, rounds: int, *, ours: Case, theirs: Case) -> Pair:
        """Run two cases in turn, and return the milliseconds of both."""
        taken = await self.in_turn(what, rounds, {"ours": ours, "theirs": theirs})
        return taken["ours"], taken["theirs"]

    async def fresh(self, user_id: str, rounds: int) -> Iterator[str]:
        """Make empty conversations, one for each round: their first job is a new row."""
        ids = await data.make_conversations(
            self.admin, [user_id] * (rounds + self.sizes.warm_up), kind="session"
        )
        return iter(ids)
