"""The demo conversation: loaded for somebody whose memory is empty, and removed again."""

from datetime import timedelta
from uuid import UUID, uuid5

from longterm.errors import ConflictError
from longterm.memory import demo_talk, inputs, remembering
from longterm.memory.digest import Digest
from longterm.memory.forgetting import Forgetting
from longterm.memory.places import Places
from longterm.memory.transfer import Transfer, check
from longterm.records.conversation import Conversation
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.store import conversations, demo, facts, messages

_DEMO = UUID("0b8f3a5e-8f0b-4b7e-9a55-3d1d3c0f6c11")
_BETWEEN = timedelta(seconds=40)


class Demo(Digest, Places, Transfer, Forgetting):
    """Shows what memory looks like."""

    async def load_demo(self, user_id: str) -> Conversation:
        """Store the demo conversation, and learn from it at once; there is one at most.

        Only for a user of whom nothing is known: what the demo says would replace it.
        """
        user_id = inputs.user_id(user_id)
        with self._operation("load_demo", user_id=user_id):
            async with self._transaction() as conn:
                there = await demo.conversations(conn, user_id)
                known = await facts.active(conn, user_id)
            if not there:
                if known:
                    raise ConflictError("The demo is for a user of whom nothing is known yet.")
                there = [await self._store_demo(user_id)]
            async with self._read_only() as conn:
                found = await conversations.get(conn, there[0])
        if found is None:
            raise ConflictError("The demo is being removed.")
        return found

    async def remove_demo(self, user_id: str) -> int:
        """Remove the demo with all that was learned from it; returns how many there were."""
        user_id = inputs.user_id(user_id)
        with self._operation("remove_demo", user_id=user_id):
            async with self._read_only() as conn:
                there = await demo.conversations(conn, user_id)
            for conversation_id in there:
                await self.forget_conversation(user_id, conversation_id)
        return len(there)

    async def _store_demo(self, user_id: str) -> str:
        talk = ImportedConversation(
            title=demo_talk.TITLE, metadata={"demo": True}, messages=_messages()
        )
        # One id for each user: of two who load it at once, one finds that it is there.
        conversation_id = str(uuid5(_DEMO, f"{self._scope.tenant_id}\0{user_id}"))
        checked = check(talk, self._rules.limits, id_=conversation_id)
        try:
            await self._store_batch(user_id, [checked])
        except ConflictError:
            return conversation_id
        async with self._read_only() as conn:
            said = await messages.after(conn, conversation_id=conversation_id, limit=100, id_=0)
        place_id, name, notes, number = demo_talk.PLACE
        await self.add_poi(user_id, place_id, name, notes, conversation_id, said[number].id)
        await self.digest(conversation_id)
        # It is too short to leave the window by itself.
        await self._compress_range(conversation_id, user_id, 0, demo_talk.EPISODE_TURNS)
        await self.embed(user_id)
        return conversation_id


def _messages() -> list[ImportedMessage]:
    now = remembering.now()
    said: list[ImportedMessage] = []
    for ago, turns in demo_talk.TALK:
        moment = now - ago
        for question, answer in turns:
            said.append(ImportedMessage(role="user", content=question, created_at=moment))
            moment += _BETWEEN
            said.append(ImportedMessage(role="assistant", content=answer, created_at=moment))
            moment += _BETWEEN
    return said
