"""Arguments for every operation of a tenant, so that a test can go through all of them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from longterm import AsyncTenant
from longterm.records.transfer import ImportedConversation, ImportedMessage

Arguments = dict[str, Any]

PAYLOADS = ("tool_calls", "suggested_values", "suggested_actions", "custom_payload")


@dataclass(frozen=True, slots=True)
class Target:
    """What the arguments of an operation point at."""

    user_id: str
    conversation_id: str
    session_id: str
    message_id: int
    fact_id: str


def a_target() -> Target:
    """A target that is well-formed and not there."""
    return Target("ada", str(uuid4()), str(uuid4()), 2**62, str(uuid4()))


def operations() -> list[str]:
    """The name of every operation that a tenant has."""
    found = inspect.getmembers(AsyncTenant, inspect.iscoroutinefunction)
    return [name for name, _ in found if not name.startswith("_")]


def parameters(operation: str) -> list[str]:
    """The names of what an operation takes; what an application attaches has four names."""
    names: list[str] = []
    for name, parameter in inspect.signature(getattr(AsyncTenant, operation)).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            names += PAYLOADS
        elif name != "self":
            names.append(name)
    return names


# One line for each operation, with all of its arguments: a new one needs a line here.
_ARGUMENTS: dict[str, Callable[[Target], Arguments]] = {
    "add_message": lambda to: {
        "user_id": to.user_id,
        "role": "user",
        "content": "words",
        "conversation_id": to.conversation_id,
        "name": "Ada",
        "created_at": datetime(2024, 1, 1, tzinfo=UTC),
        "write_id": str(uuid4()),
        **{name: {"a": 1} for name in PAYLOADS},
    },
    "add_messages": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
        "messages": [{"role": "user", "content": "words"}],
    },
    "get_conversation_history": lambda to: {"user_id": to.user_id, "limit": 50, "offset": 0},
    "get_recent_messages": lambda to: {"user_id": to.user_id, "count": 50},
    "count_messages": lambda to: {"user_id": to.user_id},
    "clear_conversation_history": lambda to: {"user_id": to.user_id},
    "delete_message": lambda to: {
        "message_id": to.message_id,
        "conversation_id": to.conversation_id,
    },
    "trim_history": lambda to: {
        "user_id": to.user_id,
        "keep_last": 0,
        "older_than": timedelta(0),
        "archive": False,
    },
    "set_memory": lambda to: {"user_id": to.user_id, "key": "key", "value": {"new": 1}},
    "get_memory": lambda to: {"user_id": to.user_id, "key": "key"},
    "get_all_memory": lambda to: {"user_id": to.user_id},
    "delete_memory": lambda to: {"user_id": to.user_id, "key": "key"},
    "clear_all_memory": lambda to: {"user_id": to.user_id},
    "set_user_state": lambda to: {"user_id": to.user_id, "mode": "new"},
    "get_user_state": lambda to: {"user_id": to.user_id},
    "delete_user_state": lambda to: {"user_id": to.user_id},
    "set_template": lambda _: {"name": "template", "body": "new"},
    "get_template": lambda _: {"name": "template"},
    "list_templates": lambda _: {},
    "delete_template": lambda _: {"name": "template"},
    "render_template": lambda to: {
        "name": "template",
        "variables": {"a": 1},
        "user_id": to.user_id,
    },
    "create_session": lambda to: {"user_id": to.user_id},
    "store_turn": lambda to: {
        "session_id": to.session_id,
        "user_id": to.user_id,
        "query": "query",
        "response": "response",
        "metadata": {"a": 1},
        "write_id": str(uuid4()),
    },
    "get_session_history": lambda to: {"session_id": to.session_id, "limit": 50},
    "delete_session": lambda to: {"session_id": to.session_id},
    "get_context_for_query": lambda to: {"session_id": to.session_id, "query": "query"},
    "cleanup": lambda _: {},
    "create_conversation": lambda to: {
        "user_id": to.user_id,
        "title": "new",
        "retention": 1,
        "metadata": {"a": 1},
        "conversation_id": to.conversation_id,
    },
    "get_conversation": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
    },
    "current_conversation": lambda to: {"user_id": to.user_id},
    "list_conversations": lambda to: {
        "user_id": to.user_id,
        "limit": 50,
        "cursor": None,
        "archived": None,
        "search": "e",
    },
    "update_conversation": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
        "title": "new",
        "archived": True,
        "pinned": True,
        "retention": 1,
        "metadata": {"a": 1},
    },
    "delete_conversation": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
    },
    "get_messages": lambda to: {
        "conversation_id": to.conversation_id,
        "limit": 50,
        "before": None,
        "after": None,
        "around": None,
    },
    "get_insight": lambda to: {"user_id": to.user_id, "days": 30},
    "load_demo": lambda to: {"user_id": f"{to.user_id} at first"},
    "remove_demo": lambda to: {"user_id": to.user_id},
    "get_changes": lambda to: {"user_id": to.user_id},
    "list_users": lambda _: {"limit": 50, "cursor": None, "search": "a"},
    "get_memories_used": lambda to: {"user_id": to.user_id, "message_id": to.message_id},
    "stop_answer": lambda to: {"user_id": to.user_id, "message_id": to.message_id},
    "list_answering": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
    },
    "import_messages": lambda to: {
        "user_id": to.user_id,
        "conversations": [
            ImportedConversation(messages=[ImportedMessage(role="user", content="words")])
        ],
    },
    "import_conversations": lambda to: {
        "user_id": to.user_id,
        "path": Path(__file__).parent / "memory" / "samples" / "plain.jsonl",
        "format": "auto",
    },
    "forget_user": lambda to: {"user_id": to.user_id},
    "forget_conversation": lambda to: {
        "user_id": to.user_id,
        "conversation_id": to.conversation_id,
    },
    "forget_message": lambda to: {
        "user_id": to.user_id,
        "message_id": to.message_id,
        "conversation_id": to.conversation_id,
    },
    "rewind": lambda to: {
        "user_id": to.user_id,
        "message_id": to.message_id,
        "conversation_id": to.conversation_id,
    },
    "add_fact": lambda to: {
        "user_id": to.user_id,
        "content": "a new fact",
        "type": "fact",
        "category": "category",
        "key": "key",
        "confidence": 1.0,
        "importance": 0.8,
        "source_conversation_id": to.conversation_id,
        "source_message_id": to.message_id,
        "actor": "api",
        "write_id": str(uuid4()),
    },
    "update_fact": lambda to: {
        "user_id": to.user_id,
        "fact_id": to.fact_id,
        "content": "new words",
        "pinned": True,
        "archived": True,
        "importance": 0.5,
        "confidence": 0.5,
        "source_conversation_id": to.conversation_id,
        "source_message_id": to.message_id,
        "actor": "user",
    },
    "pin_fact": lambda to: {
        "user_id": to.user_id,
        "fact_id": to.fact_id,
        "pinned": True,
        "actor": "user",
    },
    "deactivate_fact": lambda to: {
        "user_id": to.user_id,
        "fact_id": to.fact_id,
        "actor": "api",
    },
    "delete_fact": lambda to: {"user_id": to.user_id, "fact_id": to.fact_id},
    "get_active_facts": lambda to: {"user_id": to.user_id},
    "list_facts": lambda to: {
        "user_id": to.user_id,
        "type": "fact",
        "category": "category",
        "key": "key",
        "pinned": False,
        "archived": False,
        "text": "e",
        "as_of": datetime(2100, 1, 1, tzinfo=UTC),
    },
    "fact_history": lambda to: {"user_id": to.user_id, "fact_id": to.fact_id},
    "get_fact": lambda to: {"user_id": to.user_id, "fact_id": to.fact_id},
    "list_audit": lambda to: {"user_id": to.user_id, "after": None, "limit": 50, "cursor": None},
    "add_poi": lambda to: {
        "user_id": to.user_id,
        "place_id": "place",
        "place_name": "Place",
        "notes": "notes",
        "conversation_id": to.conversation_id,
        "message_id": to.message_id,
        "actor": "api",
    },
    "add_poi_mention": lambda to: {
        "user_id": to.user_id,
        "place_id": "place",
        "conversation_id": to.conversation_id,
        "message_id": to.message_id,
    },
    "delete_poi": lambda to: {"user_id": to.user_id, "place_id": "place"},
    "list_places": lambda to: {"user_id": to.user_id},
    "get_user_memory": lambda to: {"user_id": to.user_id},
    "manage_user_memory": lambda to: {
        "user_id": to.user_id,
        "operation": "add_fact",
        "content": "a fact of an agent",
        "fact_id": to.fact_id,
        "query": "query",
        "place_id": "place",
        "place_name": "Place",
        "notes": "notes",
        "conversation_id": to.conversation_id,
        "message_id": to.message_id,
    },
    "digest": lambda to: {"conversation_id": to.conversation_id},
    "index": lambda to: {"conversation_id": to.conversation_id},
    "learn": lambda to: {"conversation_id": to.conversation_id},
    "extract_memories": lambda to: {"conversation_id": to.conversation_id},
    "recall": lambda to: {
        "user_id": to.user_id,
        "query": "what is plain",
        "conversation_id": to.conversation_id,
        "limit": 10,
        "budget_tokens": 500,
        "kinds": ("fact", "episode", "turn"),
        "as_of": datetime(2100, 1, 1, tzinfo=UTC),
        "after": datetime(2000, 1, 1, tzinfo=UTC),
        "before": datetime(2100, 1, 1, tzinfo=UTC),
        "min_turn": 1,
    },
    "chat": lambda to: {
        "user_id": to.user_id,
        "message": "What is plain?",
        "conversation_id": to.conversation_id,
        "memory": True,
        "temporary": False,
    },
    "chat_in_session": lambda to: {
        "user_id": to.user_id,
        "query": "What is plain?",
        "session_id": to.session_id,
    },
    "settle": lambda to: {"message_id": to.message_id},
    "embed": lambda to: {"user_id": to.user_id},
    "reembed": lambda _: {},
    "get_embedding_progress": lambda _: {},
    "list_episodes": lambda to: {"conversation_id": to.conversation_id},
    "get_rolling_summary": lambda to: {"conversation_id": to.conversation_id},
    "audit_memory": lambda to: {"user_id": to.user_id},
    "rebuild_memory": lambda to: {"user_id": to.user_id, "apply": True},
    "create_key": lambda to: {"name": "key", "scope": "user", "user_id": to.user_id},
    "list_keys": lambda _: {},
    "revoke_key": lambda to: {"key_id": to.fact_id},
    "get_stats": lambda _: {},
    "get_settings": lambda _: {},
    "update_settings": lambda _: {
        "conversation_retention": 1,
        "session_retention": 1,
        "model_calls_per_day": 1000,
        "model_tokens_per_day": 1000,
        "memory": True,
    },
}


def arguments(operation: str, target: Target) -> Arguments:
    """Arguments that an operation accepts, and that point at the target."""
    assert operation in _ARGUMENTS, f"tests/arguments.py has no line for {operation}"
    given = _ARGUMENTS[operation](target)
    assert list(given) == parameters(operation), f"tests/arguments.py is old for {operation}"
    return given
