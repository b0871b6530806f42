"""docs/settings.md."""

from pathlib import Path
from typing import Any

from docs.generate.markdown import MADE, code, join, table
from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from longterm import Settings

ABOUT = """
From the environment, or as `Settings(name=…)` in code. Those marked * are also read without the
prefix.
"""


def page() -> str:
    """Every setting with its default."""
    rows = [_row(name, field) for name, field in Settings.model_fields.items()]
    return join("# Settings", MADE, ABOUT, table(("variable", "default", "what"), rows))


def _row(name: str, field: FieldInfo) -> tuple[str, str, str]:
    mark = "*" if isinstance(field.validation_alias, AliasChoices) else ""
    return code(f"LONGTERM_{name.upper()}") + mark, _default(field), field.description or ""


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, Path):
        return "the user's data folder"
    return "–" if value in (None, (), {}) else code(str(value))
