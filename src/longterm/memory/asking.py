"""Asking a model on behalf of a tenant: within its budget, and counted."""

from datetime import UTC, date, datetime, timedelta

from longterm.errors import (
    BudgetSpentError,
    DatabaseGoneError,
    OutcomeUnknownError,
    UnavailableError,
)
from longterm.memory import tenants
from longterm.memory.operations import Parts
from longterm.observe.log import get_logger
from longterm.providers.model import Answer, ChatModel, Prompt, Usage
from longterm.records.scope import Scope
from longterm.records.usage import Spending
from longterm.store import usage

_log = get_logger(__name__)


async def ask(parts: Parts, scope: Scope, model: ChatModel, prompt: Prompt) -> Answer:
    """Return the model's answer; raises `BudgetSpentError` where the day's budget is used up.

    Calls that are under way at the same time may exceed the budget by themselves.
    """
    await check_budget(parts, scope)
    try:
        answer = await model.answer(prompt)
    except UnavailableError:
        await count(parts, scope, prompt.purpose, model.name, Usage(), failed=1)
        raise
    await count(parts, scope, prompt.purpose, model.name, answer.usage)
    return answer


async def check_budget(parts: Parts, scope: Scope) -> None:
    """Raise `BudgetSpentError` where the tenant's budget for today is used up.

    What can't be looked up does not keep anybody from an answer.
    """
    try:
        async with parts.database.tenant(scope, read_only=True) as conn:
            calls, tokens = await tenants.model_budget(conn, parts.rules)
            if calls is None and tokens is None:
                return
            spent = await usage.spent(conn, _today())
    except DatabaseGoneError:
        return
    if (calls is not None and spent.calls >= calls) or (
        tokens is not None and spent.tokens >= tokens
    ):
        raise BudgetSpentError(retry_after_s=_until_tomorrow_s())


async def count(
    parts: Parts, scope: Scope, purpose: str, model: str, used: Usage, *, failed: int = 0
) -> None:
    """Add a call to what the tenant spent today."""
    spending = Spending(
        day=_today(),
        purpose=purpose,
        model=model,
        calls=1,
        failed=failed,
        prompt_tokens=used.prompt_tokens,
        answer_tokens=used.answer_tokens,
    )
    try:
        async with parts.database.tenant(scope) as conn:
            await usage.count(conn, spending)
    except (DatabaseGoneError, OutcomeUnknownError) as error:
        _log.warning("not counted", operation="count", error=str(error))


def _today() -> date:
    return datetime.now(UTC).date()


def _until_tomorrow_s() -> float:
    now = datetime.now(UTC)
    tomorrow = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
    return (tomorrow - now).total_seconds() + 1
