"""Imports a file, and tells of each batch: to be killed in the middle."""

import asyncio
import sys

from longterm import AsyncLongterm


async def main(url: str, tenant_id: int, path: str) -> None:
    async with AsyncLongterm(url) as lt:
        async for report in lt.tenant(tenant_id).import_stream("ada", path):
            print(report.messages, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
