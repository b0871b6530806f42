"""Insight: how the memory of a user or a tenant is doing."""

from dataclasses import replace

from longterm.memory import inputs, remembering
from longterm.memory.operations import Operations
from longterm.records.insight import Insight, UsageDay
from longterm.store import changes, insight

_MOST_DAYS = 366


class Insights(Operations):
    """Counts what happened."""

    async def get_insight(self, user_id: str | None = None, days: int = 30) -> Insight:
        """Return numbers by day: messages, facts, recall, background work, models, flaws.

        Of a user, or of the whole tenant where none is named.
        """
        user_id = None if user_id is None else inputs.user_id(user_id)
        number = inputs.number(days, "days", least=1, most=_MOST_DAYS)
        since = insight.first_day(remembering.now().date(), number)
        with self._operation("get_insight", user_id=user_id):
            async with self._transaction() as conn:
                found = await insight.hygiene(conn, user_id=user_id, since=since)
                if user_id is not None:
                    found["unread"] = (await changes.look(conn, user_id)).learning
                queue = await insight.queue(conn, user_id)
                return Insight(
                    messages_per_day=tuple(
                        await insight.messages_per_day(conn, user_id=user_id, since=since)
                    ),
                    memory_per_day=tuple(
                        await insight.memory_per_day(conn, user_id=user_id, since=since)
                    ),
                    stages=tuple(await insight.stages(conn, user_id=user_id, since=since)),
                    queue=replace(queue, failures=tuple(await insight.failures(conn, user_id))),
                    usage=tuple(
                        self._priced(day)
                        for day in await insight.usage(conn, user_id=user_id, since=since)
                    ),
                    hygiene=found,
                )

    def _priced(self, day: UsageDay) -> UsageDay:
        price = self._rules.model_prices.get(day.model)
        if price is None:
            return day
        return replace(day, cost=price.of(day.prompt_tokens, day.answer_tokens))
