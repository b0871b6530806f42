"""Episodes: what left the window, summed up in ranges of turns that touch and never overlap."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from longterm.learn import summarise
from longterm.learn.summarise import Sentence, Summary, Utterance
from longterm.memory import asking, indexing, inputs
from longterm.memory.operations import Operations
from longterm.records.episode import Episode, NewEpisode
from longterm.records.state import ACTIVE
from longterm.store import conversations, episodes, users
from longterm.store.episodes import Due, Line
from longterm.text import secrets

# With more turns than this outside of episodes, all but the last ones are summed up.
MOST_OUTSIDE = 20
KEPT_OUTSIDE = 10

# A long import is cut into parts of this length at most.
_LONGEST = 20


class Episodes(Operations):
    """The middle term: summaries of what was said."""

    async def list_episodes(self, conversation_id: str | UUID) -> list[Episode]:
        """The episodes of a conversation, in the order of their turns."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("list_episodes", conversation_id=conversation_id):
            async with self._read_only() as conn:
                found = await episodes.list_(conn, conversation_id)
            return await asyncio.to_thread(lambda: [_shown(episode) for episode in found])

    async def get_rolling_summary(self, conversation_id: str | UUID) -> str:
        """What was said before the window, in short; empty while the window holds everything."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("get_rolling_summary", conversation_id=conversation_id):
            async with self._read_only() as conn:
                rolling = await episodes.rolling(conn, conversation_id)
            return await asyncio.to_thread(secrets.mask, rolling)

    async def _compress(self, conversation_id: str) -> None:
        # Again where somebody else was faster: they may have seen less of the conversation.
        while (due := await self._overdue(conversation_id)) is not None:
            start = due.summarised_through
            for end in _ends(start, due.turn_count - KEPT_OUTSIDE):
                if not await self._compress_range(conversation_id, due.user_id, start, end):
                    break
                start = end
            else:
                return

    async def _overdue(self, conversation_id: str) -> Due | None:
        """How far a conversation is summed up, where that is not far enough."""
        async with self._transaction() as conn:
            due = await episodes.due(conn, conversation_id)
            state = None if due is None else await users.get_state(conn, due.user_id)
        if due is None or (state is not None and state.mode != ACTIVE):
            return None
        return due if due.turn_count - due.summarised_through > MOST_OUTSIDE else None

    async def _compress_range(
        self, conversation_id: str, user_id: str, after: int, through: int
    ) -> bool:
        """Sum up the turns after one and through another; False when somebody else was faster."""
        async with self._transaction() as conn:
            lines = await episodes.said(
                conn, conversation_id=conversation_id, turn_start=after + 1, turn_end=through
            )
            before = await episodes.rolling(conn, conversation_id)
        made = await self._summarise(lines, before) if lines else None
        async with self._transaction() as conn:
            await conversations.lock(conn, conversation_id)
            again = await episodes.said(
                conn, conversation_id=conversation_id, turn_start=after + 1, turn_end=through
            )
            if again != lines or await episodes.rolling(conn, conversation_id) != before:
                # Something was forgotten meanwhile, and asked for this to be done once more.
                return False
            if not await episodes.advance(
                conn, conversation_id=conversation_id, was=after, through=through
            ):
                return False
            if made is not None:
                summary, made_by = made
                new = NewEpisode(
                    conversation_id=conversation_id,
                    user_id=user_id,
                    turn_start=after + 1,
                    turn_end=through,
                    summary=summary.summary,
                    rolling=summary.rolling,
                    made_by=made_by,
                    said_from=lines[0].said_at,
                    said_to=lines[-1].said_at,
                )
                await indexing.insert_episode(conn, await episodes.insert(conn, new))
        return True

    async def _summarise(self, lines: Sequence[Line], before: str) -> tuple[Summary, str]:
        said = [
            Utterance(
                speaker=line.name or line.role, is_user=line.role == "user", text=line.content
            )
            for line in lines
        ]
        model = self._parts.model
        if model is not None:
            prompt = await asyncio.to_thread(summarise.prompt, said, before=before)
            answer = await asking.ask(self._parts, self._scope, model, prompt)
            made = await asyncio.to_thread(summarise.read, answer.text)
            if made is not None:
                return made, summarise.made_by(model.name)
        return await self._by_sentences(said, before), summarise.BY_SENTENCES

    async def _by_sentences(self, said: Sequence[Utterance], before: str) -> Summary:
        given = await asyncio.to_thread(summarise.candidates, said)
        summary = await self._choose(given, summarise.SUMMARY_TOKENS)
        both = await asyncio.to_thread(
            lambda: [*summarise.earlier(before), *summarise.earlier(summary)]
        )
        rolling = await self._choose(both, summarise.ROLLING_TOKENS)
        return await asyncio.to_thread(summarise.masked, Summary(summary=summary, rolling=rolling))

    async def _choose(self, given: Sequence[Sentence], budget_tokens: int) -> str:
        vectors = await self._parts.embedders.current.embed([sentence.text for sentence in given])
        return await asyncio.to_thread(
            summarise.choose, given, vectors, budget_tokens=budget_tokens
        )


def _shown(episode: Episode) -> Episode:
    """As it may be shown: summaries of earlier versions may hold secrets."""
    return replace(
        episode, summary=secrets.mask(episode.summary), rolling=secrets.mask(episode.rolling)
    )


def _ends(after: int, through: int) -> Iterator[int]:
    """The last turns of parts of nearly equal length, none longer than allowed."""
    turns = through - after
    parts = -(-turns // _LONGEST)
    for part in range(1, parts + 1):
        yield after + turns * part // parts
