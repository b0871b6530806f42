"""The one tool that an agent manages memory with: `manage_user_memory`."""

from typing import Any, Literal, get_args
from uuid import UUID

from longterm.errors import InvalidInputError, LongtermError, UnavailableError
from longterm.memory import inputs
from longterm.memory.document import Documents
from longterm.memory.facts import Facts
from longterm.memory.places import Places
from longterm.records.fact import Fact
from longterm.text import prompt_data, words
from longterm.text.secrets import gate

ToolOperation = Literal[
    "add_fact", "update_fact", "deactivate_fact", "add_poi", "get_memory", "search"
]
OPERATIONS: tuple[ToolOperation, ...] = get_args(ToolOperation)
SchemaForm = Literal["openai", "anthropic", "json"]

NAME = "manage_user_memory"

DESCRIPTION = """\
Remember things about the user across all conversations, and look them up again.

Use it when the user tells something lasting about themselves (name, preferences, where they live \
or work, constraints such as allergies), names a place that matters to them, asks you to remember \
something or to forget it (deactivate_fact), or corrects what you know (update_fact); both with the \
id of the fact.

Write facts as short sentences about the user, one per call: "The user is vegetarian". \
Search before you add, so that nothing is stored twice.

Never store secrets (passwords, keys, card numbers, national ids), what holds only for now \
(today's weather, a one-time errand), what somebody else said, what the user only asked about, \
or what you merely guess."""

_PROPERTIES: dict[str, Any] = {
    "operation": {
        "type": "string",
        "enum": list(OPERATIONS),
        "description": "What to do.",
    },
    "content": {
        "type": "string",
        "description": "add_fact, update_fact: what to remember, 1 to 500 characters.",
    },
    "fact_id": {
        "type": "string",
        "description": "update_fact, deactivate_fact: which fact, as get_memory or search gave it.",
    },
    "query": {"type": "string", "description": "search: words to look for."},
    "place_id": {"type": "string", "description": "add_poi: a stable id of the place."},
    "place_name": {"type": "string", "description": "add_poi: the name people use."},
    "notes": {"type": "string", "description": "add_poi: why it matters to the user."},
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": ["operation"],
    "additionalProperties": False,
}


def schema(form: str) -> dict[str, Any]:
    """The tool as OpenAI or Anthropic want it declared, or as plain JSON schema."""
    if form == "openai":
        function = {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}
        return {"type": "function", "function": function}
    if form == "anthropic":
        return {"name": NAME, "description": DESCRIPTION, "input_schema": SCHEMA}
    if form == "json":
        return {"title": NAME, "description": DESCRIPTION, **SCHEMA}
    raise InvalidInputError("The form of the schema is openai, anthropic or json.")


class Tool(Facts, Places, Documents):
    """Runs what an agent asked for; its mistakes are answered and not raised."""

    def tool_schema(self, form: SchemaForm = "json") -> dict[str, Any]:
        """Return the declaration of `manage_user_memory` for a provider."""
        return schema(form)

    async def manage_user_memory(
        self,
        user_id: str,
        operation: str,
        *,
        content: str | None = None,
        fact_id: str | None = None,
        query: str | None = None,
        place_id: str | None = None,
        place_name: str | None = None,
        notes: str | None = None,
        conversation_id: str | UUID | None = None,
        message_id: int | None = None,
    ) -> dict[str, Any]:
        """Do one operation of an agent, with the conversation and message it is in as source.

        The answer has `ok`, and what was asked for or an `error` that tells the agent what to do.
        """
        given = {
            "content": content,
            "fact_id": fact_id,
            "query": query,
            "place_id": place_id,
            "place_name": place_name,
            "notes": notes,
        }
        try:
            inputs.choice(operation, "operation", OPERATIONS)
            run = getattr(self, f"_tool_{operation}")
            answer: dict[str, Any] = await run(user_id, given, conversation_id, message_id)
        except UnavailableError:
            raise
        except LongtermError as error:
            return {"ok": False, "operation": operation, "error": str(error)}
        return {"ok": True, "operation": operation, **answer}

    async def _tool_add_fact(
        self, user_id: str, given: dict[str, Any], conversation: Any, message: int | None
    ) -> dict[str, Any]:
        fact = await self.add_fact(
            user_id,
            _needed(given, "content"),
            source_conversation_id=conversation,
            source_message_id=message,
            actor="agent",
        )
        return {"fact_id": fact.id, "said_count": fact.said_count}

    async def _tool_update_fact(
        self, user_id: str, given: dict[str, Any], conversation: Any, message: int | None
    ) -> dict[str, Any]:
        fact = await self.update_fact(
            user_id,
            _needed(given, "fact_id"),
            content=_needed(given, "content"),
            source_conversation_id=conversation,
            source_message_id=message,
            actor="agent",
        )
        return {"fact_id": fact.id, "version": fact.version}

    async def _tool_deactivate_fact(
        self, user_id: str, given: dict[str, Any], *_: object
    ) -> dict[str, Any]:
        fact_id = _needed(given, "fact_id")
        return {"deactivated": await self.deactivate_fact(user_id, fact_id, actor="agent")}

    async def _tool_add_poi(
        self, user_id: str, given: dict[str, Any], conversation: Any, message: int | None
    ) -> dict[str, Any]:
        place_id = await self.add_poi(
            user_id,
            _needed(given, "place_id"),
            _needed(given, "place_name"),
            given["notes"],
            conversation,
            message,
            actor="agent",
        )
        return {"place_id": place_id}

    async def _tool_get_memory(
        self, user_id: str, _: dict[str, Any], *__: object
    ) -> dict[str, Any]:
        known = await self.get_user_memory(user_id)
        return {"memory": prompt_data.items_in(known.to_dict())}

    async def _tool_search(self, user_id: str, given: dict[str, Any], *_: object) -> dict[str, Any]:
        asked = set(words.query_terms(inputs.name(_needed(given, "query"), "query", longest=1000)))
        known = await self.get_active_facts(user_id)
        matches = [(len(asked & _terms(fact)), fact) for fact in known]
        best = sorted((each for each in matches if each[0]), key=lambda each: -each[0])
        return {"facts": [_shown(fact) for _, fact in best]}


def _terms(fact: Fact) -> set[str]:
    key = (fact.key or "").replace("_", " ").replace(":", " ")
    return set(words.terms(f"{key} {fact.content}"))


def _needed(given: dict[str, Any], name: str) -> Any:
    if given[name] is None:
        raise InvalidInputError(f"This operation needs {name}.")
    return given[name]


def _shown(fact: Fact) -> dict[str, Any]:
    content = gate.masked(fact.content, (fact.key,) if fact.key else ())
    return {
        "fact_id": fact.id,
        "content": prompt_data.item(content),
        "since": fact.valid_from.isoformat(),
    }
