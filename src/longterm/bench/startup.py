"""What `import longterm` costs, against a Python that does nothing."""

import asyncio
import resource
import subprocess
import sys

from longterm.bench.report import Row
from longterm.bench.timing import Progress, spread

LIMIT_MS = 300
PROGRAMS = ("pass", "import longterm", "from longterm import Longterm")


async def measure(rounds: int, progress: Progress) -> list[Row]:
    """Compare the processor time of new processes."""
    progress.start("import longterm", rounds)
    taken: dict[str, list[float]] = {program: [] for program in PROGRAMS}
    for _ in range(rounds):
        for program in PROGRAMS:
            taken[program].append(await asyncio.to_thread(_cpu_ms, program))
        progress.step()
    bare = spread(taken.pop("pass"))
    return [
        Row(
            what=program,
            at="",
            against="python -c pass",
            ours=spread(values),
            theirs=bare,
            unit="CPU ms",
            compared_by="difference",
            # The library itself is loaded at first use: told, and not hidden in the first row.
            limit=LIMIT_MS if program == "import longterm" else None,
        )
        for program, values in taken.items()
    ]


def _cpu_ms(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return (user + system) * 1000
