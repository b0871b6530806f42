"""Identifiers that sort by the time they were made."""

import secrets
import time
from uuid import UUID


def new_id() -> str:
    """Make a UUID of version 7: 48 bits of milliseconds, then chance.

    Made here because PostgreSQL has `uuidv7()` only from version 18 on.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds << 80) | secrets.randbits(80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return str(UUID(int=value))
