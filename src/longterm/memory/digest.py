"""Digest: what follows from the new messages of a conversation, in the background."""

import asyncio

from longterm.learn import title
from longterm.memory import asking, inputs, tenants
from longterm.memory.episodes import Episodes
from longterm.memory.indexing import Indexing
from longterm.memory.learning import Learning
from longterm.postgres.transaction import Conn
from longterm.records.conversation import Conversation
from longterm.records.job import LEARN, NewJob
from longterm.records.message import Message
from longterm.store import conversations, jobs, messages
from longterm.text import secrets, titles
from longterm.text.secrets import gate

# A model names a conversation after its first exchange, or not at all.
_TITLE_UNTIL_TURN = 2
# A title has 60 characters. A secret that begins among them is masked when it ends in here: the
# longest, a private key of 8,192 bits, has 6,400.
_TITLE_READS = 8000


class Digest(Learning, Episodes, Indexing):
    """The background work of a conversation; it can be done twice with the result of once."""

    async def digest(self, conversation_id: str) -> None:
        """Derive everything that follows from the new messages of a conversation."""
        await self.index(conversation_id)
        await self.learn(conversation_id)
        async with self._transaction() as conn:
            conversation = await conversations.get(conn, conversation_id)
        if conversation is not None:
            await self.embed(conversation.user_id)

    async def index(self, conversation_id: str) -> None:
        """Do what needs no model and must not wait for one, and ask for the rest."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("index", conversation_id=conversation_id):
            async with self._read_only() as conn:
                conversation = await conversations.get(conn, conversation_id)
            if conversation is None:
                return
            if conversation.title_by is None:
                await self._set_first_title(conversation_id)
            await self._index_words(conversation_id)
            async with self._transaction() as conn:
                # A job for a conversation that is forgotten would tell whose it was.
                if not await conversations.hold(conn, conversation_id):
                    return
                await jobs.request(
                    conn, NewJob(task=LEARN, key=conversation_id, user_id=conversation.user_id)
                )
            self._parts.wake_worker()

    async def _set_first_title(self, conversation_id: str) -> None:
        """Name a conversation by the words that it begins with."""
        async with self._read_only() as conn:
            first = await _first_words(conn, conversation_id)
        if first is None:
            return
        title = await asyncio.to_thread(_title_of, first)
        async with self._transaction() as conn:
            # Against those who forget the message that the title is made of.
            await conversations.lock(conn, conversation_id)
            if await _first_words(conn, conversation_id) == first:
                await conversations.set_made_title(
                    conn, conversation_id=conversation_id, title=title, title_by="rule"
                )

    async def learn(self, conversation_id: str) -> None:
        """Learn facts, sum up what left the window, and find a better title where a model can."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("learn", conversation_id=conversation_id):
            await self._learn_facts(conversation_id)
            async with self._transaction() as conn:
                if not await tenants.remembers(conn):
                    return
            await self._compress(conversation_id)
            await self._improve_title(conversation_id)

    async def _improve_title(self, conversation_id: str) -> None:
        model = self._parts.model
        if model is None:
            return
        async with self._transaction() as conn:
            conversation = await conversations.get(conn, conversation_id)
            if conversation is None or not _wants_title(conversation):
                return
            said = await messages.after(conn, conversation_id=conversation_id, limit=4, id_=0)
        question, answer = _first(said, "user"), _first(said, "assistant")
        if question is None or answer is None:
            return
        prompt = await asyncio.to_thread(title.prompt, question, answer)
        made = title.read((await asking.ask(self._parts, self._scope, model, prompt)).text)
        if made is not None:
            made = await asyncio.to_thread(title.without_secrets, made, question, answer)
        async with self._transaction() as conn:
            await conversations.lock(conn, conversation_id)
            now = await messages.after(conn, conversation_id=conversation_id, limit=4, id_=0)
            if (_first(now, "user"), _first(now, "assistant")) != (question, answer):
                return
            await conversations.set_made_title(
                conn,
                conversation_id=conversation_id,
                title=made or str(conversation.title),
                title_by="model",
            )


async def _first_words(reads: Conn, conversation_id: str) -> str | None:
    said = await messages.after(reads, conversation_id=conversation_id, limit=10, id_=0)
    # An answer that only calls tools has no words.
    return next((message.content for message in said if message.content), None)


def _title_of(first: str) -> str:
    return gate.masked_title(titles.from_message(secrets.mask(first[:_TITLE_READS])))


def _wants_title(conversation: Conversation) -> bool:
    return conversation.title_by == "rule" and conversation.turn_count <= _TITLE_UNTIL_TURN


def _first(said: list[Message], role: str) -> str | None:
    return next((each.content for each in said if each.role == role and each.content), None)
