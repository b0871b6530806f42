"""What changed, as JSON."""

from typing import Annotated

from pydantic import Field

from longterm.api.wire.shapes import Out

Version = Annotated[str, Field(description="Another text when something changed; no more.")]


class Changes(Out):
    """A version of each kind of things of a user, and what is under way."""

    memory: Version
    conversations: Version
    places: Version
    keyvalues: Version
    learning: Annotated[int, Field(description="Messages that are not learned from yet.")]
    answering: Annotated[list[int], Field(description="Messages whose answers are being made.")]
