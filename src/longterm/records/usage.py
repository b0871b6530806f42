"""What models cost a tenant."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens of a model cost in US dollars: those it reads, those it writes."""

    prompt: Decimal
    answer: Decimal

    def of(self, prompt_tokens: int, answer_tokens: int) -> Decimal:
        """What so many tokens cost, exactly."""
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / _MILLION


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
