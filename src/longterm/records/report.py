"""What a piece of maintenance did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProgress:
    """Whose vectors serve, whose are being filled in, and how many passages have them."""

    serving: str | None
    filling: str | None
    filled: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanupResult:
    """What a cleanup deleted, in how many seconds, and what went wrong on the way."""

    sessions_deleted: int = 0
    turns_deleted: int = 0
    execution_time: float = 0.0
    errors: tuple[str, ...] = ()

    def __add__(self, other: "CleanupResult") -> "CleanupResult":
        return CleanupResult(
            sessions_deleted=self.sessions_deleted + other.sessions_deleted,
            turns_deleted=self.turns_deleted + other.turns_deleted,
            execution_time=self.execution_time + other.execution_time,
            errors=self.errors + other.errors,
        )
