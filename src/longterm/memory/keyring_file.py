"""What a keyring knows, on disk: a server that starts while the database is away knows its callers.

A key itself is not in it, only its SHA-256, as in the database; and no key of a single user, so
that nothing of a user has to be forgotten here.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from longterm.journal import disk
from longterm.observe.log import get_logger
from longterm.records.ids import new_id
from longterm.records.key import KeyHolder

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKeys:
    """Whether a key was ever made, and who used one when."""

    any_made: bool
    holders: Mapping[bytes, tuple[datetime, KeyHolder]] = field(
        default_factory=dict[bytes, tuple[datetime, KeyHolder]]
    )


def read(path: Path) -> KnownKeys | None:
    """Read what an earlier process knew; None where there is nothing that can be read."""
    try:
        found = json.loads(path.read_bytes())
        holders = {
            bytes.fromhex(each["key_hash"]): (
                datetime.fromisoformat(each["at"]),
                KeyHolder(**each["holder"], last_used_at=None),
            )
            for each in found["holders"]
        }
        return KnownKeys(any_made=bool(found["any_made"]), holders=holders)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("known keys not read", error=type(error).__name__)
        return None


def write(path: Path, known: KnownKeys) -> None:
    """Replace what is there; a disk that fails costs nobody an answer."""
    holders = [
        {"key_hash": key_hash.hex(), "at": at.isoformat(), "holder": _stored(holder)}
        for key_hash, (at, holder) in known.holders.items()
        if holder.user_id is None
    ]
    text = json.dumps({"any_made": known.any_made, "holders": holders})
    try:
        disk.prepare(path.parent)
        unfinished = path.with_name(f"{new_id()}.new")
        disk.append(unfinished, text.encode())
        unfinished.replace(path)
    except OSError as error:
        _log.warning("known keys not written", error=error.strerror)


def _stored(holder: KeyHolder) -> dict[str, object]:
    stored = asdict(holder)
    del stored["last_used_at"]
    return stored
