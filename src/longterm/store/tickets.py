"""Keys that were good a short time ago: looked up again along with what they are used for."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from longterm.errors import NotAllowedError
from longterm.records.key import KeyHolder

# For a system transaction: whose key it is tells which tenant it is.
HOLDER = """
    SELECT id, tenant_id, scope, user_id, last_used_at
      FROM api_keys
     WHERE key_hash = %(key_hash)s
       AND revoked_at IS NULL
     ORDER BY id
     LIMIT 1
"""


@dataclass(slots=True, kw_only=True)
class Ticket:
    """A key that is believed until the database is asked for anything, and then looked up first.

    Of a key nothing but its end ever changes, so its id says that it is still good.
    """

    key_hash: bytes
    holder: KeyHolder
    confirmed: bool = False

    def settle(self, found: str | None = None) -> None:
        """Take the id that the database has for this key now."""
        if found != self.holder.id:
            raise NotAllowedError("This key is not known, or it was revoked.")
        self.confirmed = True


_held: ContextVar[Ticket | None] = ContextVar("longterm_ticket", default=None)


@contextmanager
def held(ticket: Ticket) -> Generator[None]:
    """Act with a ticket while inside."""
    token = _held.set(ticket)
    try:
        yield
    finally:
        _held.reset(token)


def unconfirmed() -> Ticket | None:
    """Return the ticket that somebody acts with, while nobody has looked it up."""
    ticket = _held.get()
    return None if ticket is None or ticket.confirmed else ticket
