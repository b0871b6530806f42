"""Memory for an agent, by the Model Context Protocol; `make run` starts the server."""

import asyncio

from mcp import Client


async def main() -> None:
    """Call the tools, as a model would have them called."""
    async with Client("http://127.0.0.1:8765/mcp") as client:
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))
        await client.call_tool("remember", {"content": "Ada is allergic to peanuts"})
        found = await client.call_tool("recall", {"query": "What must Ada not eat?"})
        print(found.structured_content["text"])


if __name__ == "__main__":
    asyncio.run(main())
