"""Places: points of interest of a user, and where they were spoken of."""

from uuid import UUID

from longterm.memory import inputs, remembering
from longterm.memory.operations import Operations
from longterm.records.audit import ACTORS, Actor
from longterm.records.place import Place
from longterm.store import audit, places, users
from longterm.text.secrets import gate

MAX_NOTES = 500


class Places(Operations):
    """Adds places and mentions of them."""

    async def add_poi(
        self,
        user_id: str,
        place_id: str,
        place_name: str,
        notes: str | None = None,
        conversation_id: str | UUID | None = None,
        message_id: int | str | None = None,
        *,
        actor: Actor = "api",
    ) -> str:
        """Remember a place, with its first mention; returns its id.

        One that is there gets the new name, and the new notes: none leave them, "" takes them away.
        """
        user_id, place_id = inputs.user_id(user_id), inputs.open_name(place_id, "place_id")
        place_name = inputs.sentence(place_name, "place_name")
        if notes is not None and notes != "":
            notes = inputs.sentence(notes, "notes", longest=MAX_NOTES)
        gate.check_place(place_id, place_name, notes)
        mention = _mention(conversation_id, message_id)
        inputs.choice(actor, "actor", ACTORS)
        size = await remembering.size(f"{place_name} {notes or ''}".strip())
        with self._operation("add_poi", user_id=user_id):
            async with self._transaction() as conn:
                await users.ensure(conn, user_id)
                await users.lock(conn, user_id)
                await places.insert(
                    conn,
                    user_id=user_id,
                    place_id=place_id,
                    place_name=place_name,
                    notes=notes,
                    tokens=size,
                )
                if mention is not None:
                    await places.mention(
                        conn,
                        user_id=user_id,
                        place_id=place_id,
                        conversation_id=mention[0],
                        message_id=mention[1],
                    )
                await audit.write(
                    conn,
                    user_id=user_id,
                    actor=actor,
                    action="add place",
                    subject=place_id,
                    after={"place_name": place_name, "notes": notes},
                )
        return place_id

    async def delete_poi(self, user_id: str, place_id: str) -> bool:
        """Delete a place with its mentions; tells whether it was there."""
        user_id, place_id = inputs.user_id(user_id), inputs.name(place_id, "place_id")
        with self._operation("delete_poi", user_id=user_id):
            async with self._transaction() as conn:
                if not await places.delete(conn, user_id=user_id, place_id=place_id):
                    return False
                # What the trail told about it goes too. That one was deleted stays, as a hash: the
                # id may be a name.
                await audit.forget_subject(conn, user_id=user_id, subject=place_id)
                await audit.write(
                    conn,
                    user_id=user_id,
                    actor="user",
                    action="delete place",
                    subject=remembering.place_hash(user_id, None, place_id),
                )
                return True

    async def add_poi_mention(
        self,
        user_id: str,
        place_id: str,
        conversation_id: str | UUID,
        message_id: int | str,
    ) -> bool:
        """Note where a place was spoken of; tells whether there is such a place."""
        user_id, place_id = inputs.user_id(user_id), inputs.name(place_id, "place_id")
        where = _reference(conversation_id, "conversation_id")
        which = _reference(message_id, "message_id")
        with self._operation("add_poi_mention", user_id=user_id):
            async with self._transaction() as conn:
                return await places.mention(
                    conn,
                    user_id=user_id,
                    place_id=place_id,
                    conversation_id=where,
                    message_id=which,
                )

    async def list_places(self, user_id: str) -> list[Place]:
        """Every place of a user with its mentions, oldest first."""
        user_id = inputs.user_id(user_id)
        with self._operation("list_places", user_id=user_id):
            async with self._read_only() as conn:
                return await places.list_(conn, user_id)


def _mention(
    conversation_id: str | UUID | None, message_id: int | str | None
) -> tuple[str, str] | None:
    where = None if conversation_id is None else _reference(conversation_id, "conversation_id")
    which = None if message_id is None else _reference(message_id, "message_id")
    return None if where is None or which is None else (where, which)


def _reference(value: str | UUID | int, what: str) -> str:
    return gate.check_reference(inputs.reference(value, what), what)
