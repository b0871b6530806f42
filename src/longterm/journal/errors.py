"""What the journal refuses, and how a replay is told to stop."""

from longterm.errors import UnavailableError


class JournalFullError(UnavailableError):
    """The journal is full until the database is back; nothing was kept."""


class JournalBrokenError(UnavailableError):
    """The journal on disk cannot be used; nothing was kept."""


class StopReplayError(UnavailableError):
    """Raised by whoever writes back, to end the replay at once: the database is away again."""
