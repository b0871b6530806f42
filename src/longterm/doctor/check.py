"""What a check found."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: what was found, and how to mend it if that is wrong.

    A warning is something that works now and may not for long.
    """

    name: str
    found: str
    mend: str | None = None
    is_warning: bool = False

    @property
    def ok(self) -> bool:
        """Whether there is nothing to mend."""
        return self.mend is None

    @property
    def status(self) -> Status:
        """How it is."""
        if self.mend is None:
            return "ok"
        return "warning" if self.is_warning else "failed"
