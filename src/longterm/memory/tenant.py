"""The memory of one tenant: every operation in one place."""

from dataclasses import dataclass

from longterm.memory.audit import Audit
from longterm.memory.changes import Changing
from longterm.memory.conversations import Conversations
from longterm.memory.demo import Demo
from longterm.memory.digest import Digest
from longterm.memory.exporting import Exporting
from longterm.memory.forgetting import Forgetting
from longterm.memory.hygiene import Hygiene
from longterm.memory.importing import Importing
from longterm.memory.insight import Insights
from longterm.memory.keys import Keys
from longterm.memory.keyvalues import KeyValues
from longterm.memory.people import People
from longterm.memory.rebuild import Rebuilding
from longterm.memory.reembedding import Reembedding
from longterm.memory.retention import Retention
from longterm.memory.session_chat import SessionChat
from longterm.memory.states import States
from longterm.memory.statistics import Statistics
from longterm.memory.stopping import Stopping
from longterm.memory.templates import Templates
from longterm.memory.tenants import Tenants
from longterm.memory.transfer import Transfer
from longterm.memory.used import Using


class AsyncTenant(
    SessionChat,
    Conversations,
    KeyValues,
    States,
    Templates,
    Demo,
    Digest,
    Reembedding,
    Rebuilding,
    Hygiene,
    Audit,
    Retention,
    Tenants,
    Keys,
    Statistics,
    Transfer,
    Stopping,
    Using,
    Changing,
    Insights,
    People,
    Forgetting,
    Exporting,
    Importing,
):
    """Everything that Longterm can do for one tenant, or for one user of it."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user of a tenant (None: the system), and a memory that the database confines to them."""

    id: str
    tenant_id: int | None
    memory: AsyncTenant
