"""§3 Yours: a file that is ten times as large takes no more memory to read."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

from longterm.imports.reading import read
from tests.imports import samples


def written(path: Path, talks: int) -> Path:
    """An export of so many conversations, of some 50 kB each."""
    talk: dict[str, Any] = samples.chatgpt(turns=60)
    with path.open("w") as file:
        for number in range(talks):
            file.write("[" if number == 0 else ",")
            json.dump({**talk, "id": f"c{number}", "conversation_id": f"c{number}"}, file)
        file.write("]")
    return path


def peak(path: Path) -> tuple[int, int]:
    """How much it took at most, and how many conversations there were."""
    tracemalloc.start()
    try:
        count = sum(1 for _ in read(path, "chatgpt"))
        return tracemalloc.get_traced_memory()[1], count
    finally:
        tracemalloc.stop()


def test_a_file_ten_times_as_large_takes_no_more_memory(tmp_path: Path) -> None:
    small, few = peak(written(tmp_path / "small.json", 12))
    large, many = peak(written(tmp_path / "large.json", 120))

    assert (few, many) == (12, 120)
    assert large < 1.5 * small
