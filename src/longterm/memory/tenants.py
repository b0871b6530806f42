"""What a tenant decides for itself, over the defaults of the installation."""

from datetime import timedelta

from longterm.memory import inputs
from longterm.memory.operations import Operations, Parts, Rules
from longterm.postgres.transaction import Conn
from longterm.records.conversation import Retention
from longterm.records.json import Json, JsonObject
from longterm.records.scope import Scope
from longterm.records.tenant import TenantSettings
from longterm.store import tenants


class Tenants(Operations):
    """Conn and changes the settings of the tenant."""

    async def get_settings(self) -> TenantSettings:
        """Return what the tenant decided for itself."""
        with self._operation("get_settings"):
            async with self._read_only() as conn:
                return _from_json(await tenants.get_settings(conn))

    async def update_settings(
        self,
        *,
        conversation_retention: Retention | float | None = None,
        session_retention: Retention | float | None = None,
        model_calls_per_day: int | None = None,
        model_tokens_per_day: int | None = None,
        memory: bool | None = None,
    ) -> TenantSettings:
        """Replace the tenant's settings; what is None is left to the installation.

        With `memory=False` every chat of the tenant is stateless, and what applications store
        themselves is neither indexed nor learned from.
        """
        settings = TenantSettings(
            conversation_retention=inputs.retention(
                conversation_retention, "conversation_retention"
            ),
            session_retention=inputs.retention(session_retention, "session_retention"),
            model_calls_per_day=inputs.budget(model_calls_per_day, "model_calls_per_day"),
            model_tokens_per_day=inputs.budget(model_tokens_per_day, "model_tokens_per_day"),
            memory=None if memory is None else inputs.flag(memory, "memory"),
        )
        with self._operation("update_settings"):
            async with self._transaction() as conn:
                await tenants.set_settings(conn, _to_json(settings))
        return settings


async def conversation_hours(conn: Conn, wanted: Retention | None) -> float | None:
    """How many hours a conversation made by a person is kept; None for good."""
    own = _from_json(await tenants.get_settings(conn))
    return inputs.retention_hours(wanted or own.conversation_retention or "keep")


async def session_hours(conn: Conn, default_hours: float) -> float | None:
    """How many hours a session is kept; None for good."""
    own = _from_json(await tenants.get_settings(conn))
    return inputs.retention_hours(own.session_retention or default_hours)


async def remembers(conn: Conn) -> bool:
    """Whether the tenant has memory; one that decided nothing has."""
    return _from_json(await tenants.get_settings(conn)).memory is not False


def is_remembering(parts: Parts, scope: Scope, settings: JsonObject | None) -> bool:
    """Whether the tenant has memory; noted, for nobody can look it up during an outage."""
    found = _from_json(settings or {}).memory is not False
    if found:
        parts.stateless.discard(scope.tenant_id)
    else:
        parts.stateless.add(scope.tenant_id)
    return found


async def model_budget(conn: Conn, rules: Rules) -> tuple[int | None, int | None]:
    """How many calls and tokens a day the tenant may spend on models; None is no limit."""
    own = _from_json(await tenants.get_settings(conn))
    calls, tokens = own.model_calls_per_day, own.model_tokens_per_day
    return (
        rules.model_calls_per_day if calls is None else calls,
        rules.model_tokens_per_day if tokens is None else tokens,
    )


def _to_json(settings: TenantSettings) -> JsonObject:
    return {
        "conversation_retention": _one_to_json(settings.conversation_retention),
        "session_retention": _one_to_json(settings.session_retention),
        "model_calls_per_day": settings.model_calls_per_day,
        "model_tokens_per_day": settings.model_tokens_per_day,
        "memory": settings.memory,
    }


def _one_to_json(retention: Retention | None) -> Json:
    return retention / timedelta(hours=1) if isinstance(retention, timedelta) else retention


def _from_json(stored: JsonObject) -> TenantSettings:
    return TenantSettings(
        conversation_retention=inputs.retention(
            stored.get("conversation_retention"), "conversation_retention"
        ),
        session_retention=inputs.retention(stored.get("session_retention"), "session_retention"),
        model_calls_per_day=inputs.budget(stored.get("model_calls_per_day"), "model_calls_per_day"),
        model_tokens_per_day=inputs.budget(
            stored.get("model_tokens_per_day"), "model_tokens_per_day"
        ),
        memory=None if stored.get("memory") is None else stored.get("memory") is True,
    )
