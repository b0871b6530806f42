"""Temporary conversations: in RAM, bounded, and gone; nothing of them reaches the disk."""

import time
from collections import OrderedDict
from dataclasses import dataclass, field

from longterm.providers.model import Said

_ALIVE_S = 3600.0
_MOST_SAID = 40

_Key = tuple[int, str, str]


@dataclass(slots=True)
class _Talk:
    said: list[Said] = field(default_factory=list[Said])
    used_at: float = 0.0


class TemporaryTalks:
    """What was said in the temporary conversations of this process, for an hour at most."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._talks: OrderedDict[_Key, _Talk] = OrderedDict()

    def said(self, key: _Key) -> tuple[Said, ...]:
        """What was said so far."""
        talk = self._talks.get(key)
        if talk is None or talk.used_at < time.monotonic() - _ALIVE_S:
            return ()
        return tuple(talk.said)

    def drop(self, tenant_id: int, user_id: str) -> None:
        """Forget all that was said with a user."""
        for key in [key for key in self._talks if key[:2] == (tenant_id, user_id)]:
            del self._talks[key]

    def users(self) -> set[tuple[int, str]]:
        """With whom something was said."""
        return {key[:2] for key in self._talks}

    def add(self, key: _Key, *said: Said) -> None:
        """Go on with a conversation; the one that was not used for longest gives way."""
        talk = self._talks.setdefault(key, _Talk())
        talk.said = [*talk.said, *said][-_MOST_SAID:]
        talk.used_at = time.monotonic()
        self._talks.move_to_end(key)
        while len(self._talks) > self._most:
            self._talks.popitem(last=False)
