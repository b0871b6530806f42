"""What a finding is."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "password",
    "api key",
    "access token",
    "private key",
    "seed phrase",
    "card number",
    "bank account",
    "national id",
]


@dataclass(frozen=True, slots=True)
class Secret:
    """Characters `start` to `end` of a text are a secret of this kind."""

    kind: Kind
    start: int
    end: int
