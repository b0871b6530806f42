"""What an answer was made from: kept as ids and numbers, told with what is there now."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from longterm.errors import MemoryNotFoundError
from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.providers.model import Usage
from longterm.records.json import Json, JsonObject
from longterm.records.message import Message
from longterm.records.recall import Recall, RecallItem
from longterm.records.used import UsedMemories, UsedMemory
from longterm.store import messages, used
from longterm.store.used import Answered, Now
from longterm.text import references, words
from longterm.text.references import Exchange
from longterm.text.secrets import gate

_WINDOW_MESSAGES = 40
_LONGEST_QUERY = 2000
# Reasons that quote what was said are kept without the quotation: what is forgotten is gone.
_WORDS, _SPEAKER, _TIME = "words", "said by", "from"


class Using(Operations):
    """Tells what answers were made from."""

    async def get_memories_used(self, user_id: str, message_id: int | str) -> UsedMemories:
        """Return the memories that an answer was made from, as they read now.

        What was not answered here, or is no answer, was made from none.
        """
        user_id = inputs.user_id(user_id)
        answer_id = inputs.message_id(message_id, "message_id")
        with self._operation("get_memories_used", user_id=user_id):
            async with self._transaction() as conn:
                answer = await used.answered(conn, user_id=user_id, answer_id=answer_id)
                if answer is None:
                    raise MemoryNotFoundError("This user has no such message.")
                told: Mapping[str, Any] = answer.told or {}
                items: Sequence[Mapping[str, Any]] = told.get("items", ())
                there = await used.now(conn, user_id=user_id, **_by_kind(items))
                window = await messages.before(
                    conn,
                    conversation_id=answer.conversation_id,
                    limit=_WINDOW_MESSAGES,
                    id_=answer.question_id or answer_id,
                )
        query = await asyncio.to_thread(_resolved, answer, window)
        return UsedMemories(
            resolved_query=query,
            tokens=told.get("tokens", 0),
            timings_ms=told.get("timings_ms", {}),
            items=await asyncio.to_thread(_told_now, items, there, query),
        )


def metadata(model: str, recall: Recall | None, usage: Usage, error: str | None) -> JsonObject:
    """What is kept with an answer: no text of any memory."""
    items = [] if recall is None else _items(recall)
    timings: dict[str, Json] = {} if recall is None else dict(recall.timings_ms)
    tokens = 0 if recall is None else recall.tokens
    return {
        "model": model,
        "used": {
            "count": len(items),
            "tokens": tokens,
            "milliseconds": timings.get("total", 0.0),
            "model": model,
            "prompt_tokens": usage.prompt_tokens,
            "answer_tokens": usage.answer_tokens,
            "degraded": recall is not None and recall.degraded,
            "error": error,
        },
        "memories": {
            "tokens": tokens,
            "timings_ms": timings,
            "items": [_kept(item) for item in items],
        },
    }


def _items(recall: Recall) -> list[RecallItem]:
    """What the prompt was told: what was found, and the facts that are always there."""
    found = {(item.kind, item.id): item for item in recall.items}
    for item in recall.facts:
        found.setdefault((item.kind, item.id), item)
    return list(found.values())


def _kept(item: RecallItem) -> Json:
    return {
        "kind": item.kind,
        "id": str(item.message_ids[0]) if item.kind == "turn" else item.id,
        "score": item.score,
        "why": [_unquoted(reason) for reason in item.why],
        "tokens": item.tokens,
    }


def _unquoted(reason: str) -> str:
    for beginning in (_WORDS, _SPEAKER, _TIME):
        if reason.startswith((f"{beginning}:", f"{beginning} ")):
            return beginning
    return reason


def _by_kind(items: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {"turns": [], "episodes": [], "facts": []}
    for item in items:
        id_ = str(item["id"])
        found[f"{item['kind']}s"].append(int(id_) if item["kind"] == "turn" else id_)
    return found


def _told_now(
    items: Sequence[Mapping[str, Any]], there: Sequence[Now], query: str
) -> tuple[UsedMemory, ...]:
    asked = frozenset(words.query_terms(query))
    by_id = {(each.kind, each.id): each for each in there}
    return tuple(_memory(item, by_id.get((item["kind"], item["id"])), asked) for item in items)


def _memory(item: Mapping[str, Any], now: Now | None, asked: frozenset[str]) -> UsedMemory:
    return UsedMemory(
        kind=item["kind"],
        id=item["id"],
        text=None if now is None else gate.masked(now.text),
        score=item["score"],
        why=tuple(_quoted(reason, now, asked) for reason in item["why"]),
        tokens=item["tokens"],
        conversation_id=None if now is None else now.conversation_id,
        message_ids=() if now is None else tuple(now.message_ids),
        said_at=None if now is None else now.said_at,
        gone=now is None,
    )


def _quoted(reason: str, now: Now | None, asked: frozenset[str]) -> str:
    """The reason, with what it is about as far as that is still there."""
    if reason == _TIME:
        return "from the time that was asked about"
    if now is not None and reason == _WORDS:
        shared = dict.fromkeys(word for word in words.terms(now.text) if word in asked)
        return f"words: {', '.join(shared)}" if shared else _WORDS
    if reason == _SPEAKER:
        return f"said by {now.speaker}" if now is not None and now.speaker else "who said it"
    return reason


def _resolved(answer: Answered, window: Sequence[Message]) -> str:
    """How the question reads without references, by what was said before it."""
    exchanges = [Exchange(question="", answer="")]
    for message in reversed(window):
        if message.role == "user":
            exchanges.append(Exchange(question=message.content, answer=""))
        else:
            last = exchanges.pop() if not exchanges[-1].answer else Exchange(question="", answer="")
            exchanges.append(Exchange(question=last.question, answer=message.content))
    said = [each for each in exchanges if each.question or each.answer]
    found = references.resolve(answer.question[:_LONGEST_QUERY], said)
    return found.query if found.changed else answer.question
