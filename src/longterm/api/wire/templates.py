"""Templates as JSON."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from longterm.api.wire.shapes import In, Out, UserId, example


class NewTemplate(In):
    """The body of a template, in Jinja's language."""

    model_config = example(body="Answer {{ user_id }} in {{ language }}.")

    body: Annotated[str, Field(min_length=1)]


class Rendering(In):
    """What to fill a template in with."""

    model_config = example(user_id="ada", variables={"language": "English"})

    user_id: UserId = None
    variables: dict[str, Any] = Field(default_factory=dict[str, Any])


class Template(Out):
    """The newest version of a template; without a tenant it is the system's."""

    tenant_id: int | None
    name: str
    version: int
    body: str
    updated_at: datetime


class Rendered(Out):
    """A template that was filled in."""

    text: str
