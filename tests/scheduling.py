"""Tests that are marked as a group run one after the other in one process."""

import re
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

_ROOT = Path(__file__).parents[1]
_GROUP = re.compile(r'xdist_group\("(\w+)"\)')


class Together(LoadScopeScheduling):
    """Each test by itself, but for groups.

    xdist 3.8 writes the group into a test's id, which pytest 9.2 does not read any more: there,
    `--dist loadgroup` knows no groups.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid.partition("::")[0]) or nodeid


@cache
def group(file: str) -> str | None:
    """The group that a test file says it belongs to."""
    found = _GROUP.search((_ROOT / file).read_text())
    return None if found is None else found[1]
