"""Questions asked in parallel in one conversation, and whether each answer stands beside its own."""

import random
from collections.abc import Sequence

from longterm import AsyncTenant
from longterm.providers.model import Prompt
from longterm.providers.scripted import Line, ScriptedModel

QUESTIONS = [f"question {number}" for number in range(20)]


def slow_echo(*, longest_s: float = 0.4, seed: int = 1) -> ScriptedModel:
    """A model that repeats the question, each time after another pause."""
    pauses = random.Random(seed)

    def answer(prompt: Prompt) -> Line | str:
        if prompt.purpose != "chat":
            return ""
        pause_s = pauses.uniform(0, longest_s)
        return Line(text=f"echo: {prompt.messages[-1].text}", pause_s=pause_s)

    return ScriptedModel(answer)


async def check_pairs(
    mem: AsyncTenant, conversation_id: str, questions: Sequence[str] = QUESTIONS
) -> None:
    """Each question is a turn with its own answer: no gap, nothing empty, nothing twice."""
    turns = await mem.get_session_history(conversation_id, limit=50)
    assert [(turn.query_text, turn.response_text) for turn in turns] == [
        (turn.query_text, f"echo: {turn.query_text}") for turn in turns
    ]
    assert sorted(turn.query_text for turn in turns) == sorted(questions)
    assert [turn.turn_number for turn in turns] == list(range(1, len(questions) + 1))
    await _check_pages(mem, conversation_id, len(questions))


async def _check_pages(mem: AsyncTenant, conversation_id: str, turns: int) -> None:
    """The pages of a conversation show the same order as the whole, forwards and backwards."""
    expected = [(turn, role) for turn in range(1, turns + 1) for role in ("user", "assistant")]
    whole = (await mem.get_messages(conversation_id, limit=1000)).items
    assert [(message.turn, message.role) for message in whole] == expected
    older: list[int] = []
    cursor: str | None = None
    while not older or cursor is not None:
        page = await mem.get_messages(conversation_id, limit=7, before=cursor)
        older = [message.id for message in page.items] + older
        cursor = page.next_cursor
    newer = [whole[0].id]
    cursor = str(whole[0].id)
    while cursor is not None:
        page = await mem.get_messages(conversation_id, limit=7, after=cursor)
        newer += [message.id for message in page.items]
        cursor = page.next_cursor
    assert older == newer == [message.id for message in whole]
