"""Keys that were good a short time ago: looked up again along with what they are used for."""

from contextvars import ContextVar, Token
from dataclasses import dataclass

from longterm.errors import NotAllowedError
from longterm.records.key import KeyHolder

# For a system transaction: whose key it is tells which tenant it is.
_OF_KEY = """
      FROM api_keys
     WHERE key_hash = %(key_hash)s
       AND revoked_at IS NULL
     ORDER BY id
     LIMIT 1
"""

HOLDER = f"SELECT id, tenant_id, scope, user_id, last_used_at {_OF_KEY}"

STILL_GOOD = f"SELECT id {_OF_KEY}"


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


def hold(ticket: Ticket) -> Token[Ticket | None]:
    """Act with a ticket from here on."""
    return _held.set(ticket)


def let_go(token: Token[Ticket | None]) -> None:
    """Act as before."""
    _held.reset(token)


def unconfirmed() -> Ticket | None:
    """Return the ticket that somebody acts with, while nobody has looked it up."""
    ticket = _held.get()
    return None if ticket is None or ticket.confirmed else ticket
