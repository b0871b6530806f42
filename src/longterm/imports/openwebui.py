"""Open WebUI's exported chats: a tree in `history`, the branch that is shown ends at `currentId`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from longterm.imports import trees
from longterm.imports.values import mapping, moment, sequence, spoken, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

# What a model thought and what its tools gave stand in the words, folded away.
_ASIDE = re.compile(r'<details type="(?:reasoning|tool_calls|code_interpreter)"')
_END = "</details>"


def is_one(item: object) -> bool:
    """Whether this is a chat of Open WebUI."""
    chat = mapping(mapping(item).get("chat"))
    return "history" in chat or "messages" in chat


def read(item: object, where: str) -> Iterator[Foreign]:
    """The branch of a chat that is shown, or its plain list of messages."""
    told = mapping(item)
    chat = mapping(told.get("chat"))
    external_id = text(told.get("id")) or text(chat.get("id"))
    if not external_id:
        yield Unread(where=where, reason="The chat has no id.")
        return
    history = mapping(chat.get("history"))
    nodes = {key: mapping(node) for key, node in mapping(history.get("messages")).items()}
    try:
        path = trees.path_to(history.get("currentId"), nodes, lambda node: node.get("parentId"))
    except trees.TreeError as error:
        yield Unread(where=where, reason=f"The chat can't be followed: {error}.")
        return
    plain = [(str(place), mapping(one)) for place, one in enumerate(sequence(chat.get("messages")))]
    found = [_message(key, node) for key, node in path or plain]
    shown = [message for message in found if message is not None]
    yield ForeignConversation(
        external_id=external_id,
        title=title(told.get("title")) or title(chat.get("title")),
        messages=shown,
        left_out=len(found) - len(shown),
        extra={
            "created_at": moment(told.get("created_at")),
            "updated_at": moment(told.get("updated_at")),
            "archived": told.get("archived") is True,
            "pinned": told.get("pinned") is True,
        },
    )


def _message(key: str, told: Mapping[str, Any]) -> ForeignMessage | None:
    role, words = told.get("role"), _aloud(spoken(told.get("content")))
    if role not in ("user", "assistant") or not words.strip():
        return None
    files = [
        {name: text(one[name]) for name in ("type", "name", "id", "url")
         if isinstance(one.get(name), str) and len(one[name]) < 2000}
        for one in map(mapping, sequence(told.get("files")))
    ]  # fmt: skip
    model = text(told.get("model"))
    return ForeignMessage(
        external_id=text(told.get("id")) or key,
        role="user" if role == "user" else "assistant",
        content=words,
        said_at=moment(told.get("timestamp")),
        extra={
            "custom_payload": {"attachments": files} if files else None,
            "metadata": {"model": model} if model else None,
        },
    )


def _aloud(words: str) -> str:
    """The words without what is folded away; not by one pattern, which may take for ever."""
    kept: list[str] = []
    at = 0
    while (aside := _ASIDE.search(words, at)) and (end := words.find(_END, aside.end())) >= 0:
        kept.append(words[at : aside.start()])
        at = end + len(_END)
    return "".join((*kept, words[at:])).strip()
