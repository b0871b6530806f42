"""Clarification: "which one?", asked when a question fits several things, and resolved."""

from dataclasses import dataclass
from datetime import timedelta

from longterm.chat import clarify
from longterm.memory import off_loop
from longterm.memory.operations import Operations
from longterm.memory.prompting import Asked
from longterm.memory.understanding import Known
from longterm.store import clarifications
from longterm.store.clarifications import Pending
from longterm.text import choices
from longterm.text.choices import Choice

_ALIVE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a message means: a query, or several things of which one has to be chosen."""

    query: str
    options: tuple[Choice, ...] = ()

    @property
    def question(self) -> str:
        """What to ask back."""
        return choices.ask(clarify.QUESTION, self.options)


class Clarifying(Operations):
    """Asks back when a question can mean several things; the question lives five minutes."""

    async def _meant(self, question: Asked, known: Known, *, waits: bool) -> Meant:
        """What a message means, in the light of what we may have asked before it."""
        place = {"conversation_id": question.conversation_id or "", "user_id": question.user_id}
        meant: Meant | None = None
        if waits:
            async with self._transaction() as conn:
                pending = await clarifications.take(conn, **place)
            meant = None if pending is None else _resolved(question.text, pending, known)
        if meant is None:
            offered = await off_loop.call(
                len(question.text), clarify.options, question.text, known.facts, known.places
            )
            meant = Meant(query=question.text, options=tuple(offered))
        if meant.options:
            await self._wait_for_choice(meant, **place)
        return meant

    async def _wait_for_choice(self, meant: Meant, *, conversation_id: str, user_id: str) -> None:
        async with self._transaction() as conn:
            await clarifications.put(
                conn,
                conversation_id=conversation_id,
                user_id=user_id,
                query=meant.query,
                question=meant.question,
                options=[
                    {"number": one.number, "label": one.label, "value": one.value}
                    for one in meant.options
                ],
                alive=_ALIVE,
            )


def _resolved(message: str, pending: Pending, known: Known) -> Meant | None:
    """What an answer to our question means; None when it is about something else."""
    asked = tuple(Choice(**option) for option in pending.options)
    offered = clarify.still_known(asked, known.facts, known.places)
    if len(offered) < len(asked) and len(offered) < 2:
        return Meant(query=pending.query)
    picked = choices.pick(message, offered)
    if isinstance(picked, Choice):
        return Meant(query=f"{pending.query} ({picked.label})")
    # Still open: the same is asked once more.
    return Meant(query=pending.query, options=offered) if picked is None else None
