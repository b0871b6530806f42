"""The resources: what a client can read without a model asking for it."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from longterm.mcp.shapes import cut
from longterm.memory.tenant import Person
from longterm.records.conversation import Conversation
from longterm.records.fact import Fact
from longterm.records.message import Message
from longterm.text import prompt_data

MOST_CONVERSATIONS = 50
MOST_MESSAGES = 100
LONGEST_MESSAGE = 2000

_JSON = "application/json"
_URI = re.compile(r"longterm://(profile|conversations|facts)(?:/([^/?#]{1,64}))?")

RESOURCES = [
    types.Resource(
        uri="longterm://profile",
        name="profile",
        title="What is known about the user",
        description="All facts and places, with counts and tokens, as one document.",
        mime_type=_JSON,
    ),
    types.Resource(
        uri="longterm://conversations",
        name="conversations",
        title="Conversations",
        description=f"The {MOST_CONVERSATIONS} that were used last, with ids and titles.",
        mime_type=_JSON,
    ),
]
TEMPLATES = [
    types.ResourceTemplate(
        uri_template="longterm://conversations/{id}",
        name="conversation",
        title="A conversation",
        description=(
            f"Its newest {MOST_MESSAGES} messages, oldest first, the first "
            f"{LONGEST_MESSAGE:,} characters of each."
        ),
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        uri_template="longterm://facts/{id}",
        name="fact",
        title="A fact and its history",
        description="Every version of a fact, with the time it held and where it is from.",
        mime_type=_JSON,
    ),
]


async def read(person: Person, uri: str) -> types.TextResourceContents:
    """The resource of this address, as JSON."""
    found = _URI.fullmatch(uri)
    reader = found and _READERS.get((found[1], found[2] is not None))
    if not found or reader is None:
        raise MCPError(
            types.INVALID_PARAMS,
            "There is no such resource; there are longterm://profile, longterm://conversations, "
            "longterm://conversations/{id} and longterm://facts/{id}.",
        )
    told = await reader(person, found[2] or "")
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)


async def _profile(person: Person, _: str) -> Any:
    return prompt_data.items_in((await person.memory.get_user_memory(person.id)).to_dict())


async def _conversations(person: Person, _: str) -> Any:
    page = await person.memory.list_conversations(person.id, limit=MOST_CONVERSATIONS)
    return {
        "conversations": [_conversation(each) for each in page],
        "more": page.next_cursor is not None,
    }


async def _messages(person: Person, conversation_id: str) -> Any:
    conversation = await person.memory.get_conversation(person.id, conversation_id)
    page = await person.memory.get_messages(conversation.id, limit=MOST_MESSAGES)
    return {
        **_conversation(conversation),
        "messages": [_message(each) for each in page],
        "more": page.next_cursor is not None,
    }


async def _history(person: Person, fact_id: str) -> Any:
    versions = await person.memory.fact_history(person.id, fact_id)
    return {"fact_id": versions[-1].id, "versions": [_version(each) for each in versions]}


def _conversation(one: Conversation) -> dict[str, Any]:
    return {
        "id": one.id,
        "uri": f"longterm://conversations/{one.id}",
        "title": None if one.title is None else prompt_data.item(one.title),
        "turns": one.turn_count,
        "updated_at": one.updated_at.isoformat(),
    }


def _message(one: Message) -> dict[str, Any]:
    return {
        "id": one.id,
        "turn": one.turn,
        "role": one.role,
        "name": None if one.name is None else prompt_data.item(one.name),
        "content": prompt_data.passage(cut(one.content, LONGEST_MESSAGE)),
        "said_at": one.created_at.isoformat(),
    }


def _version(one: Fact) -> dict[str, Any]:
    return {
        "version": one.version,
        "content": prompt_data.item(one.content),
        "type": one.type,
        "category": prompt_data.items_in(one.category),
        "key": prompt_data.items_in(one.key),
        "origin": one.origin,
        "valid_from": one.valid_from.isoformat(),
        "valid_to": None if one.valid_to is None else one.valid_to.isoformat(),
        "closed": one.closed,
        "source_conversation_id": one.source_conversation_id,
        "source_message_id": one.source_message_id,
        "source_gone": one.source_gone,
    }


_READERS: dict[tuple[str, bool], Callable[[Person, str], Awaitable[Any]]] = {
    ("profile", False): _profile,
    ("conversations", False): _conversations,
    ("conversations", True): _messages,
    ("facts", True): _history,
}
