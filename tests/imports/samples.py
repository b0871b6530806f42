"""Exports of other programs, small and as they are."""

from typing import Any


def node(
    id_: str, parent: str | None, role: str, *parts: Any, at: float | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "id": id_,
        "parent": parent,
        "children": [],
        "message": {
            "id": id_,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": at,
            "content": {"content_type": "text", "parts": list(parts)},
            "status": "finished_successfully",
            "recipient": "all",
            **more,
        },
    }


def chatgpt(id_: str = "c1", turns: int = 2) -> dict[str, Any]:
    """A conversation with a hidden beginning, an edited question and a tool."""
    root = {"id": "root", "message": None, "parent": None, "children": ["sys"]}
    nodes = {
        "root": root,
        "sys": node("sys", "root", "system", "", metadata={
            "is_visually_hidden_from_conversation": True}),
        "draft": node("draft", "sys", "user", "A question that was edited away"),
    }  # fmt: skip
    at, parent = 1700000000.5, "sys"
    for turn in range(turns):
        nodes[f"u{turn}"] = node(f"u{turn}", parent, "user", f"Question {turn}", at=at + turn)
        nodes[f"t{turn}"] = node(f"t{turn}", f"u{turn}", "tool", "tool output")
        nodes[f"a{turn}"] = node(
            f"a{turn}", f"t{turn}", "assistant", f"Answer {turn}", at=at + turn + 0.5,
            metadata={"model_slug": "gpt-4o"},
        )  # fmt: skip
        parent = f"a{turn}"
    return {
        "title": "A talk",
        "create_time": at,
        "update_time": at + turns,
        "mapping": nodes,
        "current_node": parent,
        "conversation_id": id_,
        "id": id_,
    }


def claude() -> dict[str, Any]:
    return {
        "uuid": "claude-1",
        "name": "With Claude",
        "created_at": "2024-05-01T08:00:00.123456Z",
        "updated_at": "2024-05-01T09:00:00Z",
        "account": {"uuid": "acc"},
        "chat_messages": [
            {
                "uuid": "m1", "sender": "human", "text": "Look at this",
                "content": [{"type": "text", "text": "Look at this", "citations": []}],
                "created_at": "2024-05-01T08:00:00.123456Z",
                "attachments": [{"file_name": "a.txt", "file_size": 3, "file_type": "txt",
                                 "extracted_content": "abc"}],
                "files": [{"file_name": "b.png"}],
            },
            {
                "uuid": "m2", "sender": "assistant", "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Hmm"},
                    {"type": "text", "text": "I see"},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "text", "text": "a file."},
                ],
                "created_at": "2024-05-01T08:00:10Z", "attachments": [], "files": [],
            },
        ],
    }  # fmt: skip


def openwebui() -> dict[str, Any]:
    return {
        "id": "ow-1", "user_id": "x", "title": "Web UI", "archived": True,
        "created_at": 1710000000, "updated_at": 1710000100,
        "chat": {
            "title": "Web UI", "models": ["llama3"],
            "history": {
                "currentId": "b",
                "messages": {
                    "a": {"id": "a", "parentId": None, "childrenIds": ["b", "c"], "role": "user",
                          "content": "Hi", "timestamp": 1710000000},
                    "b": {"id": "b", "parentId": "a", "childrenIds": [], "role": "assistant",
                          "content": "Hello", "model": "llama3", "timestamp": 1710000001},
                    "c": {"id": "c", "parentId": "a", "childrenIds": [], "role": "assistant",
                          "content": "Another answer", "timestamp": 1710000002},
                },
            },
        },
    }  # fmt: skip


def librechat() -> dict[str, Any]:
    return {
        "conversationId": "lc-1", "endpoint": "openAI", "title": "Libre",
        "exportAt": "10:00:00", "branches": True, "recursive": True,
        "messages": [
            {
                "messageId": "1", "conversationId": "lc-1", "sender": "User",
                "isCreatedByUser": True, "text": "Hi", "createdAt": "2024-02-01T10:00:00.000Z",
                "parentMessageId": "00000000-0000-0000-0000-000000000000",
                "children": [
                    {"messageId": "2", "parentMessageId": "1", "sender": "GPT", "text": "",
                     "content": [{"type": "text", "text": "Hello"}], "isCreatedByUser": False,
                     "createdAt": "2024-02-01T10:00:01.000Z", "children": []}
                ],
            }
        ],
    }  # fmt: skip


def mem0() -> dict[str, Any]:
    return {
        "results": [
            {"id": "mem-1", "memory": "Likes to play cricket", "user_id": "alice",
             "categories": ["sports"], "created_at": "2024-07-01T08:00:00-07:00",
             "updated_at": "2024-07-01T08:00:00-07:00"},
            {"id": "mem-2", "memory": "x" * 501, "created_at": "2024-07-01T08:00:00-07:00"},
        ]
    }  # fmt: skip
