"""Keys of the HTTP API: made and shown once, listed, revoked; and whose key it is."""

import asyncio
import hashlib
import secrets
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from longterm.errors import DatabaseGoneError, InvalidInputError, UnavailableError
from longterm.memory import inputs, keyring_file
from longterm.memory.keyring_file import KnownKeys
from longterm.memory.operations import Operations, Parts
from longterm.records.ids import new_id
from longterm.records.key import KEY_SCOPES, ApiKey, IssuedKey, KeyHolder, KeyScope
from longterm.store import keys, tenants

T = TypeVar("T")

PREFIX = "lt_"
_SHOWN = len(PREFIX) + 6
# Nobody needs to know by the second when a key was used last.
_TOUCHED_EVERY = timedelta(minutes=1)
_REMEMBERED_FOR = timedelta(minutes=15)
_MOST_REMEMBERED = 10_000
_SAVED_EVERY = timedelta(minutes=1)
# How long somebody who is remembered waits for a database that may be silent.
_PATIENCE_S = 1.0


class Keys(Operations):
    """The keys of a tenant; a key itself is never stored."""

    async def create_key(
        self, name: str, scope: KeyScope = "app", user_id: str | None = None
    ) -> IssuedKey:
        """Make a key; its secret is in the answer and nowhere else.

        The scope is `admin`, `app` (any user of the tenant) or `user`, which needs a `user_id`.
        """
        name = inputs.name(name, "name")
        scope = inputs.choice(scope, "scope", KEY_SCOPES)
        if (scope == "user") != (user_id is not None):
            raise InvalidInputError("A user_id is needed for a key of the scope `user` only.")
        owner = None if user_id is None else inputs.user_id(user_id)
        secret = PREFIX + secrets.token_urlsafe(32)
        with self._operation("create_key", user_id=owner):
            async with self._transaction() as conn:
                await tenants.create(conn)
                key = await keys.insert(
                    conn,
                    id_=new_id(),
                    key_hash=_hashed(secret),
                    prefix=secret[:_SHOWN],
                    name=name,
                    scope=scope,
                    user_id=owner,
                )
        return IssuedKey(key=key, secret=secret)

    async def list_keys(self) -> list[ApiKey]:
        """Every key of the tenant, also those that were revoked, oldest first."""
        with self._operation("list_keys"):
            async with self._read_only() as conn:
                return await keys.list_(conn)

    async def revoke_key(self, key_id: str | UUID) -> bool:
        """End a key, from the next request on; tells whether it was good until now."""
        key_id = inputs.uuid(key_id, "key_id")
        with self._operation("revoke_key"):
            async with self._transaction() as conn:
                return await keys.revoke(conn, key_id)


class Keyring:
    """Tells whose key it is, for all tenants.

    The database is asked each time, so that a key that is revoked is refused at once. While it is
    away, a key that was good a short time ago is good still.
    """

    def __init__(self, parts: Parts, path: Path | None = None) -> None:
        """What is known is kept in the file `path`, for a process that starts in an outage."""
        self._parts = parts
        self._path = path
        self._saved_at = datetime.min.replace(tzinfo=UTC)
        self._touched: dict[str, datetime] = {}
        self._known: dict[bytes, tuple[datetime, KeyHolder]] = {}
        self._any_made: bool | None = None

    @property
    def is_known(self) -> bool:
        """Whether a caller can be told from a stranger without the database."""
        return self._any_made is not None

    async def open(self) -> None:
        """Ask the database, or read what an earlier process knew: later nobody may be asked."""
        with suppress(UnavailableError):
            await self.any_made()
        if self._any_made is None and self._path is not None:
            known = await asyncio.to_thread(keyring_file.read, self._path)
            if known is not None:
                self._any_made, self._known = known.any_made, dict(known.holders)

    async def save(self) -> None:
        """Write down who is known; for good when the process ends, and now and then before."""
        if self._path is None or self._any_made is None:
            return
        self._saved_at = datetime.now(UTC)
        known = KnownKeys(any_made=self._any_made, holders=dict(self._known))
        await asyncio.to_thread(keyring_file.write, self._path, known)

    def _save_soon(self) -> None:
        if datetime.now(UTC) - self._saved_at > _SAVED_EVERY:
            self._saved_at = datetime.now(UTC)
            self._parts.aside.run(self.save())

    async def any_made(self) -> bool:
        """Whether there ever was a key, revoked or not."""
        try:
            asked = self._any_key()
            self._any_made = await self._soon(asked, self._any_made is not None)
        except (UnavailableError, TimeoutError):
            if self._any_made is None:
                raise
        else:
            self._save_soon()
        return self._any_made

    async def holder(self, secret: str) -> KeyHolder | None:
        """Whose key it is, with its use noted beside; None for one that is not good."""
        hashed = _hashed(secret)
        try:
            asked = self._look_up(hashed)
            found = await self._soon(asked, self._recent(hashed) is not None)
        except (UnavailableError, TimeoutError):
            return self._remembered(hashed)
        self._remember(hashed, found)
        if found is not None:
            self._note_use(found)
        return found

    async def _any_key(self) -> bool:
        async with self._parts.database.system(read_only=True) as conn:
            return await keys.exist(conn)

    async def _look_up(self, hashed: bytes) -> KeyHolder | None:
        async with self._parts.database.system(read_only=True) as conn:
            return await keys.holder(conn, hashed)

    async def _soon(self, asked: Coroutine[Any, Any, T], known: bool) -> T:
        """Ask, without waiting for long where it was known a short time ago."""
        if not known:
            return await asked
        return await self._parts.aside.within(asked, seconds=_PATIENCE_S)

    def _note_use(self, holder: KeyHolder) -> None:
        if self._due(holder):
            self._parts.aside.run(self._touch(holder))

    def _remember(self, hashed: bytes, holder: KeyHolder | None) -> None:
        self._known.pop(hashed, None)
        if holder is not None:
            self._any_made = True
            self._known[hashed] = (datetime.now(UTC), holder)
            self._save_soon()
        while len(self._known) > _MOST_REMEMBERED:
            del self._known[next(iter(self._known))]

    def _remembered(self, hashed: bytes) -> KeyHolder:
        holder = self._recent(hashed)
        if holder is None:
            raise DatabaseGoneError
        return holder

    def _recent(self, hashed: bytes) -> KeyHolder | None:
        at, holder = self._known.get(hashed, (None, None))
        return None if at is None or datetime.now(UTC) - at > _REMEMBERED_FOR else holder

    def _due(self, holder: KeyHolder) -> bool:
        now = datetime.now(UTC)
        last = max(filter(None, (holder.last_used_at, self._touched.get(holder.id))), default=None)
        if last is not None and now - last < _TOUCHED_EVERY:
            return False
        self._touched[holder.id] = now
        return True

    async def _touch(self, holder: KeyHolder) -> None:
        async with self._parts.database.system() as conn:
            await keys.touch(conn, holder)


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()
