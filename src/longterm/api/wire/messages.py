"""Messages as JSON, and the cursors of their pages."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from longterm.api.wire.shapes import In, Items, Out, Time, UserId, example
from longterm.errors import InvalidInputError
from longterm.records.message import Role, ShownMessage, Status
from longterm.records.page import Page
from longterm.web import markdown

Begun = dict[str, int | str | None]

# A cursor of ours says in which direction it goes on.
_CURSOR = re.compile(r"(before|after)-([0-9]{1,19})")


class Said(In):
    """A message to append."""

    model_config = example(role="user", content="My name is Ada and I live in Lisbon.")

    role: Annotated[Role, Field(examples=["user"])]
    content: Annotated[
        str, Field(description="What was said; may be empty only where tools are called.")
    ]
    name: Annotated[str | None, Field(min_length=1, max_length=255, description="Who spoke.")] = (
        None
    )
    created_at: Annotated[Time, Field(description="When it was said; now when it is left out.")] = (
        None
    )
    tool_calls: Any = None
    suggested_values: Any = None
    suggested_actions: Any = None
    custom_payload: Any = None


class NewMessage(Said):
    """One message to append."""

    model_config = example(user_id="ada", role="user", content="My name is Ada.")

    user_id: UserId = None


class NewMessages(In):
    """Several messages to append in this order, all of them or none."""

    model_config = example(
        user_id="ada",
        messages=[
            {"role": "user", "content": "My name is Ada."},
            {"role": "assistant", "content": "Hello Ada."},
        ],
    )

    user_id: UserId = None
    messages: Annotated[list[Said], Field(min_length=1, max_length=1000)]


SaidList = Annotated[list[Said], Field(min_length=1, max_length=1000)]


def _form(body: object) -> str:
    # Chosen before it is checked: else what is wrong would be told once for each form.
    if isinstance(body, list):
        return "list"
    return "several" if isinstance(body, Mapping) and "messages" in body else "one"


Appended = Annotated[
    Annotated[NewMessage, Tag("one")]
    | Annotated[NewMessages, Tag("several")]
    | Annotated[SaidList, Tag("list")],
    Discriminator(_form),
]


MessageId = Annotated[int | None, Field(ge=1, le=2**63 - 1)]


class MessageQuery(BaseModel):
    """The part of a conversation to list."""

    limit: Annotated[int, Field(ge=1, le=1000, description="How many at most.")] = 50
    cursor: Annotated[str | None, Field(description="The `next_cursor` of the page before.")] = None
    before: MessageId = None
    after: MessageId = None
    around: MessageId = None
    render: Annotated[
        Literal["html"] | None,
        Field(description="`html`: each message comes with its markdown rendered."),
    ] = None


class StoredMessage(Out):
    """Where a message went."""

    id: int
    conversation_id: str


class Used(Out):
    """What went into an answer, in numbers; `milliseconds` is what recall took."""

    count: int
    tokens: int
    milliseconds: float
    model: str
    prompt_tokens: int
    answer_tokens: int
    degraded: bool
    error: str | None


class Message(Out):
    """A stored message; `created_at` is when it was said, `recorded_at` when it was stored."""

    id: int
    tenant_id: int | None
    user_id: str
    conversation_id: str
    turn: int
    role: Role
    content: str
    name: str | None
    status: Status
    created_at: datetime
    recorded_at: datetime
    tool_calls: Any
    suggested_values: Any
    suggested_actions: Any
    custom_payload: Any
    used: Annotated[Used | None, Field(description="What an answer was made from.")] = None
    html: Annotated[str | None, Field(description="Its markdown, with `render=html`.")] = None


class MessagePage(Items[Message]):
    """A page of messages, in the order they were said."""

    previous_cursor: Annotated[
        str | None, Field(description="The `cursor` of the page in the other direction.")
    ] = None


def speaker(body: NewMessage | NewMessages | Sequence[Said]) -> str | None:
    """Return the user that a body names; a bare list names none."""
    return body.user_id if isinstance(body, NewMessage | NewMessages) else None


def said(body: NewMessage | NewMessages | Sequence[Said]) -> list[dict[str, Any]]:
    """Return the messages of a body, as the library takes them."""
    if isinstance(body, NewMessages):
        body = body.messages
    each = [body] if isinstance(body, NewMessage) else body
    return [message.model_dump(exclude={"user_id"}, exclude_unset=True) for message in each]


def stored(ids: Sequence[int], conversation_id: object) -> Items[StoredMessage]:
    """Tell where messages went."""
    return Items(
        items=[StoredMessage(id=id_, conversation_id=str(conversation_id)) for id_ in ids],
        next_cursor=None,
    )


def place(wanted: MessageQuery) -> Begun:
    """Return where a page begins: after a cursor, or beside a message."""
    beside = {"before": wanted.before, "after": wanted.after, "around": wanted.around}
    if wanted.cursor is None:
        return {**beside}
    found = _CURSOR.fullmatch(wanted.cursor)
    if found is None or any(one is not None for one in beside.values()):
        raise InvalidInputError("cursor must be a `next_cursor` of an earlier page, and alone.")
    return {found[1]: found[2]}


def paged(page: Page[ShownMessage], begun: Begun) -> MessagePage:
    """Translate a page, with cursors that go on in the same direction and back."""
    # All at once: one by one, twenty messages took twice as long.
    return MessagePage.model_validate(_members(page, begun))


def _members(page: Page[ShownMessage], begun: Begun) -> dict[str, object]:
    direction, back = ("before", "after") if begun.get("after") is None else ("after", "before")
    previous = page.previous_cursor
    if previous is None and page.items and begun.get(direction) is not None:
        previous = str(page.items[-1 if direction == "before" else 0].id)
    following = page.next_cursor
    return {
        "items": page.items,
        "next_cursor": None if following is None else f"{direction}-{following}",
        "previous_cursor": None if previous is None else f"{back}-{previous}",
    }


async def shown(
    page: Page[ShownMessage], begun: Begun, render: Literal["html"] | None
) -> MessagePage:
    """Translate a page, with the HTML of each message where it is requested."""
    translated = paged(page, begun)
    if render is not None:
        # Rendering dozens of long messages would keep other requests waiting.
        await asyncio.to_thread(_render, translated.items)
    return translated


def _render(items: list[Message]) -> None:
    for item in items:
        item.html = markdown.render(item.content)
