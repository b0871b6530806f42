"""§3 Yours: files as other programs really write them, with all that is odd about them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.imports import claude, openwebui
from longterm.records.importing import ForeignConversation
from longterm.records.message import Message
from tests.imports import samples
from tests.imports.samples import node
from tests.imports.test_own import write

__all__ = ["write"]


async def taken_in(mem: AsyncTenant, path: Path, **given: Any) -> list[list[Message]]:
    """The messages of each conversation that a file brought, none of it unread."""
    report = await mem.import_conversations("ada", path, **given)
    assert report.unread == ()
    talks = await mem.list_conversations("ada")
    made = sorted(talks, key=lambda talk: str(talk.title))
    return [list(await mem.get_messages(talk.id)) for talk in made]


def said(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


async def test_chatgpt_with_voice_pictures_sources_a_canvas_and_a_parent_that_is_gone(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    picture = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://a",
        "size": 7,
    }
    voice = {"content_type": "audio_transcription", "text": "Where is Lisbon?", "direction": "in"}
    talk = samples.chatgpt("odd", 0) | {
        "is_starred": True,
        "gizmo_id": "g-custom",
        "current_node": "u3",
        "mapping": {
            "u1": node("u1", "deleted", "user", voice, {"content_type": "audio_asset_pointer"}),
            "c1": node("c1", "u1", "assistant", "{}", recipient="canmore.create_textdoc"),
            "a1": node("a1", "c1", "assistant", "In Portugal.\ue200cite\ue202turn0search1\ue201"),
            "t1": node("t1", "a1", "assistant", "", content={
                "content_type": "thoughts", "thoughts": [{"summary": "s", "content": "c"}]}),
            "u2": node("u2", "t1", "user", picture, "And this?"),
            "u3": node("u3", "u2", "user", picture),
        },
    }  # fmt: skip

    (messages,) = await taken_in(mem, write([talk], name="conversations.json"))

    assert said(messages) == [
        ("user", "Where is Lisbon?"),
        ("assistant", "In Portugal."),
        ("user", "And this?"),
        ("user", "[attachment]"),
    ]
    assert (await mem.list_conversations("ada"))[0].pinned
    assert messages[3].custom_payload == {"attachments": [picture]}


async def test_claude_with_branches_artifacts_and_a_file_that_is_too_large(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    artifact = {"id": "x", "type": "text/markdown", "title": "Plan", "content": "# Plan"}
    blocks = {
        "q": [{"type": "text", "text": "A plan, please"}],
        "draft": [{"type": "text", "text": "A draft that was given up"}],
        "a": [
            {"type": "tool_use", "name": "artifacts", "input": artifact},
            {"type": "tool_result"},
        ],
        "q2": [{"type": "text", "text": "Read this"}],
    }
    parents = {"q": "0" * 8, "draft": "q", "a": "q", "q2": "a"}
    files = [{"file_name": "a.txt", "extracted_content": "x" * claude.MOST_ATTACHED * 3},
             {"file_name": "b.txt", "extracted_content": "short"}]  # fmt: skip
    talk = samples.claude() | {
        "chat_messages": [
            {"uuid": id_, "sender": "assistant" if id_ in ("a", "draft") else "human",
             "text": "```\nThis block is not supported on your current device yet.\n```",
             "content": content, "parent_message_uuid": parents[id_],
             "created_at": "2025-05-01T08:00:00Z", "attachments": files if id_ == "q2" else []}
            for id_, content in blocks.items()
        ]
    }  # fmt: skip

    (messages,) = await taken_in(mem, write([talk], name="conversations.json"))

    assert said(messages) == [
        ("user", "A plan, please"),
        ("assistant", "[artifact]"),
        ("user", "Read this"),
    ]
    assert messages[1].custom_payload == {"artifacts": [artifact]}
    assert messages[2].custom_payload == {
        "attachments": [{"file_name": "a.txt"}, {"file_name": "b.txt"}]
    }


async def test_open_webui_with_thoughts_folded_away(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    thought = (
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Hm\n</details>\n'
    )
    chat = samples.openwebui()
    chat |= {"pinned": True, "archived": False}
    nodes = chat["chat"]["history"]["messages"]
    last = nodes[chat["chat"]["history"]["currentId"]]
    last["content"] = f"{thought}It is blue.{thought}"

    (messages,) = await taken_in(mem, write([chat], name="chats.json"))

    assert messages[-1].content == "It is blue."
    assert (await mem.list_conversations("ada"))[0].pinned


def test_words_that_only_begin_to_be_folded_away_are_read_at_once() -> None:
    """By one pattern this would take minutes: each beginning looks for an end."""
    words = '<details type="reasoning">' * 40_000
    chat = {"id": "c", "chat": {"messages": [{"role": "assistant", "content": words}]}}

    (talk,) = openwebui.read(chat, "item 1")

    assert isinstance(talk, ForeignConversation)
    assert talk.messages[0].content == words


@pytest.mark.parametrize("name", ["conversation_id", "session_id"])
async def test_lines_with_numbers_for_ids_and_parts_for_words(
    mem: AsyncTenant, write: Callable[..., Path], name: str
) -> None:
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "u"}}]
    lines = [
        {name: 1, "id": 1, "role": "user", "content": parts},
        {name: 1, "id": 2, "role": "assistant", "content": ["I", "see"]},
        {name: 2, "id": 3, "role": "user", "content": "Something else"},
    ]

    talks = await taken_in(mem, write(*lines, name="lines.jsonl"))

    assert sorted(map(said, talks)) == [
        [("user", "Look"), ("assistant", "I\nsee")],
        [("user", "Something else")],
    ]
