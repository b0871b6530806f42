"""Identifiers: new ones, which sort by the time they were made, and those that stand for names."""

import secrets
import time
from uuid import NAMESPACE_URL, UUID, uuid5


def new_id() -> str:
    """Make a UUID of version 7: 48 bits of milliseconds, then chance.

    Made here because PostgreSQL has `uuidv7()` only from version 18 on.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds << 80) | secrets.randbits(80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return str(UUID(int=value))


def named_id(user_id: str, name: str) -> str:
    """The id of a conversation: the name itself where it is a UUID, else one of this user for it."""
    try:
        return str(UUID(name))
    except ValueError:
        return str(uuid5(NAMESPACE_URL, f"longterm:session:{len(user_id)}:{user_id}:{name}"))
