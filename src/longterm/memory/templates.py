"""Templates: prompts of a tenant, rendered with what is known of a user."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from longterm.errors import MemoryNotFoundError
from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.template import Template
from longterm.store import keyvalues, messages, templates


class Templates(Operations):
    """A tenant's own templates, with the system's as the default beneath."""

    async def set_template(self, name: str, body: str) -> Template:
        """Store a new version of a template; one that can't be read is refused."""
        name = inputs.name(name, "name")
        body = inputs.content(body, "body", limits=self._rules.limits)
        with self._operation("set_template"):
            await self._parts.templates.check(body)
            async with self._transaction() as conn:
                return await templates.set_(conn, name=name, body=body)

    async def get_template(self, name: str) -> Template:
        """Return the newest version of the tenant's own template, else of the system's."""
        name = inputs.name(name, "name")
        with self._operation("get_template"):
            async with self._read_only() as conn:
                template = await templates.get(conn, name)
            if template is None:
                raise MemoryNotFoundError("There is no template by that name.")
            return template

    async def list_templates(self) -> list[Template]:
        """Every template that the tenant can use, by name."""
        with self._operation("list_templates"):
            async with self._read_only() as conn:
                return await templates.list_(conn)

    async def delete_template(self, name: str) -> None:
        """Delete the tenant's own template; the system's shows again, if there is one."""
        name = inputs.name(name, "name")
        with self._operation("delete_template"):
            async with self._transaction() as conn:
                if not await templates.delete(conn, name):
                    raise MemoryNotFoundError("This tenant has no template by that name.")

    async def render_template(
        self,
        name: str,
        variables: Mapping[str, Any] | None = None,
        *,
        user_id: str | None = None,
    ) -> str:
        """Fill a template in.

        It sees the variables given, `now`, and, for a user, `user_id`, `history` (the recent
        messages, oldest first) and `memory` (the key-value memory by key). A variable given
        comes before one of these.
        """
        given = inputs.variables(variables)
        template = await self.get_template(name)
        known: dict[str, Any] = {"now": datetime.now(UTC)}
        if user_id is not None:
            known |= await self._known_of(inputs.user_id(user_id))
        with self._operation("render_template", user_id=user_id):
            return await self._parts.templates.render(template.body, {**known, **given})

    async def _known_of(self, user_id: str) -> dict[str, Any]:
        async with self._transaction() as conn:
            newest = await messages.history(conn, user_id=user_id, limit=self._rules.history_limit)
            pairs = await keyvalues.list_(conn, user_id)
        return {
            "user_id": user_id,
            "history": newest[::-1],
            "memory": {pair.key: pair.value for pair in pairs},
        }
