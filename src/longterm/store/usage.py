"""What models cost a tenant, by day, purpose and model."""

from dataclasses import dataclass
from datetime import date

from longterm.postgres.transaction import Conn
from longterm.records.usage import Spending

COUNT = """
    INSERT INTO usage (tenant_id, day, purpose, model, calls, failed, prompt_tokens, answer_tokens)
    VALUES (%(tenant_id)s, %(day)s, %(purpose)s, %(model)s, %(calls)s, %(failed)s,
            %(prompt_tokens)s, %(answer_tokens)s)
        ON CONFLICT (tenant_id, day, purpose, model) DO UPDATE
       SET calls = usage.calls + excluded.calls,
           failed = usage.failed + excluded.failed,
           prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
           answer_tokens = usage.answer_tokens + excluded.answer_tokens
"""

SPENT = """
    SELECT coalesce(sum(calls), 0)::bigint AS calls,
           coalesce(sum(prompt_tokens + answer_tokens), 0)::bigint AS tokens
      FROM usage
     WHERE tenant_id = %(tenant_id)s
       AND day = %(day)s
"""

LIST = """
    SELECT day, purpose, model, calls, failed, prompt_tokens, answer_tokens
      FROM usage
     WHERE tenant_id = %(tenant_id)s
       AND day >= %(since)s
     ORDER BY day, purpose, model
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """All of a day together."""

    calls: int
    tokens: int


async def count(conn: Conn, spending: Spending) -> None:
    """Add to what the day has cost so far."""
    await conn.run(
        COUNT,
        day=spending.day,
        purpose=spending.purpose,
        model=spending.model,
        calls=spending.calls,
        failed=spending.failed,
        prompt_tokens=spending.prompt_tokens,
        answer_tokens=spending.answer_tokens,
    )


async def spent(conn: Conn, day: date) -> Spent:
    """What a day has cost so far."""
    found = await conn.first(Spent, SPENT, day=day)
    return found or Spent(calls=0, tokens=0)


async def list_(conn: Conn, since: date) -> list[Spending]:
    """What each day since then has cost."""
    return await conn.all(Spending, LIST, since=since)
