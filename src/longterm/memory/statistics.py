"""Statistics: how much a tenant has, and what its models cost."""

from datetime import UTC, datetime, timedelta

from longterm.memory.operations import Operations
from longterm.records.stats import Stats
from longterm.store import stats, usage

_USAGE_DAYS = 30


class Statistics(Operations):
    """Counts."""

    async def get_stats(self) -> Stats:
        """Return how much the tenant has, and what models cost it in the last 30 days."""
        since = datetime.now(UTC).date() - timedelta(days=_USAGE_DAYS - 1)
        with self._operation("get_stats"):
            async with self._transaction() as conn:
                return Stats(
                    counts=await stats.counts(conn),
                    jobs=await stats.jobs(conn),
                    usage=tuple(await usage.list_(conn, since)),
                )
