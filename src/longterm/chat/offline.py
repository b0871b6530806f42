"""An honest answer without a language model: what memory has that bears on the question."""

from longterm.records.recall import Recall, RecallItem
from longterm.text.prompt_data import one_line

MODEL = "offline"

HOW = (
    "No language model is configured, so this is what I remember, not an answer. To configure one, "
    "set LONGTERM_LLM, for example to ollama:llama3.2, openai:gpt-5-mini or anthropic:claude-haiku-4-5."
)
_MOST = 5
_LEAST_SCORE = 0.45


def answer(found: Recall | None) -> str:
    """Say what is known, with dates and sources, and how to get a model."""
    if found is None:
        return HOW
    facts = [f"- {one_line(item.text)} (since {item.said_at:%Y-%m-%d})" for item in _facts(found)]
    told = [item for item in (*found.turns, *found.episodes) if item.score >= _LEAST_SCORE]
    said = [_line(item) for item in sorted(told, key=lambda item: -item.score)[:_MOST]]
    parts = [
        "\n".join(("What I know about you:", *facts)) if facts else "",
        "\n".join(("What was said before that may bear on this:", *said)) if said else "",
        "" if said or facts else "I remember nothing that bears on this yet.",
        HOW,
    ]
    return "\n\n".join(part for part in parts if part)


def _facts(found: Recall) -> list[RecallItem]:
    """Those that the search found too come first."""
    scores = {item.id: item.score for item in found.items if item.kind == "fact"}
    return sorted(found.facts, key=lambda item: -scores.get(item.id, 0.0))[:_MOST]


def _line(item: RecallItem) -> str:
    words = one_line(item.text)
    who = "you" if item.speaker == "user" else one_line(item.speaker or f"an {item.kind}")
    source = f" (message {item.message_ids[0]})" if item.message_ids else ""
    return f"- {item.said_at:%Y-%m-%d}, {who}: {words}{source}"
