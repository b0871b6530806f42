"""Prompt templates of a tenant."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from longterm.api.people import Anybody, OfTenant, least
from longterm.api.wire.shapes import Items
from longterm.api.wire.templates import NewTemplate, Rendered, Rendering, Template

router = APIRouter(prefix="/api/templates", tags=["templates"])

Name = Annotated[str, Path(min_length=1, max_length=255, examples=["greeting"])]
WRITE = [Depends(least("app"))]


@router.get("")
async def list_templates(tenant: OfTenant) -> Items[Template]:
    """List every template that the tenant can use, by name."""
    return Items[Template].all(await tenant.list_templates())


@router.post("/{name:path}/render")
async def render_template(name: Name, wanted: Rendering, asked: Anybody) -> Rendered:
    """Fill a template in with variables and, for a user, their history and key-value memory."""
    text = await asked.memory(wanted.user_id).render_template(
        name, wanted.variables, user_id=asked.id(wanted.user_id)
    )
    return Rendered(text=text)


@router.get("/{name:path}")
async def get_template(name: Name, tenant: OfTenant) -> Template:
    """Return the newest version of the tenant's own template, else of the system's."""
    return Template.of(await tenant.get_template(name))


@router.put("/{name:path}", dependencies=WRITE)
async def set_template(name: Name, new: NewTemplate, tenant: OfTenant) -> Template:
    """Store a new version of a template; one that can't be read is refused."""
    return Template.of(await tenant.set_template(name, new.body))


@router.delete("/{name:path}", status_code=204, dependencies=WRITE)
async def delete_template(name: Name, tenant: OfTenant) -> None:
    """Delete the tenant's own template; the system's shows again, if there is one."""
    await tenant.delete_template(name)
