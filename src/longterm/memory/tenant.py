"""The memory of one tenant: every operation in one place."""

from dataclasses import dataclass

from longterm.memory.conversations import Conversations
from longterm.memory.digest import Digest
from longterm.memory.hygiene import Hygiene
from longterm.memory.keys import Keys
from longterm.memory.keyvalues import KeyValues
from longterm.memory.rebuild import Rebuilding
from longterm.memory.reembedding import Reembedding
from longterm.memory.retention import Retention
from longterm.memory.session_chat import SessionChat
from longterm.memory.states import States
from longterm.memory.statistics import Statistics
from longterm.memory.templates import Templates
from longterm.memory.tenants import Tenants
from longterm.memory.transfer import Transfer


class AsyncTenant(
    SessionChat,
    Conversations,
    KeyValues,
    States,
    Templates,
    Digest,
    Reembedding,
    Rebuilding,
    Hygiene,
    Retention,
    Tenants,
    Keys,
    Statistics,
    Transfer,
):
    """Everything that Longterm can do for one tenant, or for one user of it."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user, and a memory that the database itself confines to them."""

    id: str
    memory: AsyncTenant
