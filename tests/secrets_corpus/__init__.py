"""A corpus of secrets and of ordinary texts that could be taken for them.

Every value is made up. `¦` is left out when a line is read: it keeps scanners for leaked keys from
taking the corpus for a leak.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sentence, a value beneath a key, or a JSON object; `secret` is what must not be stored."""

    language: str
    kind: str = ""
    text: str | None = None
    key: str | None = None
    json: Any = None
    secret: str = ""

    @property
    def is_sentence(self) -> bool:
        """Whether it is said, and not stored beneath a key."""
        return self.text is not None and self.key is None


def _read(name: str) -> list[Sample]:
    lines = (_FOLDER / name).read_text().replace("¦", "").splitlines()
    return [Sample(**json.loads(line)) for line in lines]


SECRETS = _read("secrets.jsonl")
ORDINARY = _read("ordinary.jsonl")
