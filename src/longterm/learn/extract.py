"""Facts from messages with a model: what it is asked, and what is kept of its answer."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from longterm.learn import gate, grounding, prompts
from longterm.learn.rules.masking import LOOKED_AT
from longterm.learn.rules.shapes import slug
from longterm.providers import structured
from longterm.providers.model import Prompt, Said
from longterm.records.proposal import Category, Proposal
from longterm.records.reading import Heard, Reading
from longterm.text import prompt_data

PURPOSE = "extract"

_MOST_OF_ONE = 10
_MOST_KEYS = 40
_LONGEST_ANSWER = 300
_LONGEST_KEY = 60
_ANSWER_TOKENS = 1500

Share = Annotated[float, Field(ge=0, le=1)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class _Item(BaseModel):
    """One fact as the model writes it."""

    model_config = ConfigDict(extra="ignore")

    message: int
    category: Category
    key: Words
    value: Words
    quote: Words
    confidence: Share = 0.7
    importance: Share = 0.5
    correction: bool = False
    ended: bool = False


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "message": {"type": "integer"},
                    "category": {
                        "type": "string",
                        "enum": ["identity", "preference", "constraint", "instruction"],
                    },
                    "key": {"type": "string"},
                    "value": {"type": "string"},
                    "quote": {"type": "string"},
                    "confidence": {"type": "number"},
                    "importance": {"type": "number"},
                    "correction": {"type": "boolean"},
                    "ended": {"type": "boolean"},
                },
                "required": [
                    "message", "category", "key", "value", "quote", "confidence", "importance",
                    "correction", "ended",
                ],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}  # fmt: skip


def extractor(model: str) -> str:
    """The name by which a fact knows what made it: the model, and the hash of the prompt."""
    return f"{model}/{prompts.load('extract').hash}"


def prompt(messages: Sequence[Heard], known_keys: Sequence[str]) -> Prompt:
    """Ask for the facts of some messages, in one call."""
    keys = ", ".join(map(prompt_data.item, sorted(known_keys)[:_MOST_KEYS])) or "none"
    lines = [_line(number, message) for number, message in enumerate(messages, start=1)]
    text = "\n".join((f"Known keys: {keys}", "<messages>", *lines, "</messages>"))
    return Prompt(
        instructions=prompts.load("extract").text,
        messages=(Said(by="user", text=text),),
        answer_schema=_SCHEMA,
        max_tokens=_ANSWER_TOKENS,
        purpose=PURPOSE,
    )


def read(answer: str, messages: Sequence[Heard], *, timezone: str) -> list[Reading]:
    """What each message of the user says, according to the answer.

    Raises `NotJsonError` when the answer holds no list of facts. A fact that can't be used
    costs that fact, and the reading of its message tells why.
    """
    items, bad = structured.validated(structured.items(answer, "facts"), _Item)
    readings: list[Reading] = []
    for number, message in enumerate(messages, start=1):
        if message.role == "user":
            own = [item for item in items if item.message == number]
            readings.append(_reading(message, own, bad=bad, timezone=timezone))
    return readings


def _reading(
    message: Heard, items: Sequence[_Item], *, bad: Sequence[str], timezone: str
) -> Reading:
    # An item that could not be read might be about any message of the batch.
    refused = f"Not in the form that was asked for: {bad[0]}"[:300] if bad else None
    if len(items) > _MOST_OF_ONE:
        refused = f"More than {_MOST_OF_ONE} facts of one message; the others were left out."
    proposals: list[Proposal] = []
    for item in items[:_MOST_OF_ONE]:
        place = grounding.span(item.quote, message.content)
        objection = grounding.objection(item.value, place, message.content)
        if objection or place is None:
            refused = f"Not grounded: {objection}."
        else:
            proposals.append(_proposal(item, place))
    return gate.reading(message, proposals, timezone=timezone, refused=refused)


def _proposal(item: _Item, place: tuple[int, int]) -> Proposal:
    return Proposal(
        category=item.category,
        key=_key(item.key),
        value=item.value,
        confidence=item.confidence,
        importance=item.importance,
        start=place[0],
        end=place[1],
        correction=item.correction,
        ended=item.ended,
    )


def _key(said: str) -> str:
    name, _, thing = said.partition(":")
    key = slug(name) or "fact"
    return (f"{key}:{slug(thing)}" if slug(thing) else key)[:_LONGEST_KEY]


def _line(number: int, message: Heard) -> str:
    if message.role != "user":
        # It is there to make sense of "yes, the second one", and nothing is learned from it.
        return prompt_data.item(f"[-] assistant: {message.content[:_LONGEST_ANSWER]}")
    return prompt_data.item(
        f"[{number}] user, {message.said_at:%Y-%m-%d}: {message.content[:LOOKED_AT]}"
    )
