"""`import longterm` loads next to nothing."""

import subprocess
import sys

HEAVY = ("psycopg", "pydantic", "fastapi", "jinja2", "structlog", "asyncio")


def test_importing_longterm_loads_no_heavy_module() -> None:
    loaded = "import sys, longterm; print([name for name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)

    assert [name for name in HEAVY if f"'{name}'" in ran.stdout] == []
