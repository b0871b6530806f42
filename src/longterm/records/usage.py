"""What models cost a tenant."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """The calls of one day for one purpose to one model."""

    day: date
    purpose: str
    model: str
    calls: int
    failed: int
    prompt_tokens: int
    answer_tokens: int
