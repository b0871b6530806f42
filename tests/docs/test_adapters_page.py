"""The code of docs/adapters.md runs as it stands."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)

# One process for all: loading the library takes longer than a block.
RUN = "import json, sys\nfor block in json.load(sys.stdin): exec(block, {'__name__': '__main__'})"


def test_the_code_of_the_page_runs_as_it_stands(new_database: Callable[[str], str]) -> None:
    environment = {**os.environ, "LONGTERM_DATABASE_URL": new_database("adapters_page")}

    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN],
        input=json.dumps(BLOCKS),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    for line in (
        "4 messages",
        "Drinks green tea in the morning",
        "My cat Tom broke the blue vase",
        "[{'role': 'user', 'content': \"I'm Ada\"}]",
        "Green, no milk.",
    ):
        assert line in ran.stdout
    assert len(BLOCKS) == 7
