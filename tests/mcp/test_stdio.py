"""`longterm mcp` as a program of its own."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp.client.stdio import StdioServerParameters

from longterm import AsyncLongterm
from mcp import Client
from tests.journeys.programs import COMMAND, clean_environment, longterm
from tests.mcp.conftest import PROTOCOLS, fact_of, known, text_of


@pytest.fixture(scope="module")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("longterm_mcp_stdio")


def program(*arguments: str) -> StdioServerParameters:
    command, *rest = COMMAND
    return StdioServerParameters(
        command=command, args=[*rest, "mcp", *arguments], env=clean_environment()
    )


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_an_agent_speaks_with_the_memory_of_one_user(database: str, mode: str) -> None:
    arguments = ("--user", f"ada of {mode}", "--tenant", "7", "--database-url", database)

    async with Client(program(*arguments), mode=mode) as client:
        tools = (await client.list_tools()).tools
        await fact_of(client, "The user is vegetarian — Zoë")
        listed = await known(client)
        profile = json.loads(await text_of(client, "longterm://profile"))
        prompt = await client.get_prompt("with_memory", {"question": "What may I eat?"})
        failed = await client.call_tool("remember", {"content": ""})

    assert len(tools) == 5
    assert listed == ["The user is vegetarian — Zoë"]
    assert profile["metadata"]["total_facts"] == 1
    assert "vegetarian" in prompt.model_dump_json()
    assert failed.is_error
    async with AsyncLongterm(database) as lt:
        trail = await lt.tenant(7).list_audit(f"ada of {mode}")
    assert [entry.actor for entry in trail] == ["agent"]


def start(database: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*COMMAND, "mcp", "--database-url", database],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(LONGTERM_LOG_LEVEL="DEBUG"),
    )


async def test_nothing_but_the_protocol_is_printed(database: str) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    call = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "x"}},
        }
    )
    with start(database) as process:
        said = f"nonsense\n{ping}\n\xff\n{call}\n".encode("latin-1")
        out, err = await asyncio.to_thread(process.communicate, said, 120)

    answers = [json.loads(line) for line in out.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} in answers
    assert process.returncode == 0
    assert b"Traceback" not in err


def test_a_signal_ends_it_while_the_client_still_listens(database: str) -> None:
    with start(database) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"] == {}

        process.send_signal(signal.SIGTERM)

        assert process.wait(60) == 0
        assert b"Traceback" not in (process.stderr.read() if process.stderr else b"")


def test_a_database_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    nowhere = f"postgresql:///x?host={tmp_path}"
    ran = longterm("mcp", "--database-url", nowhere, LONGTERM_CONNECT_TIMEOUT_S="1")

    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.splitlines()[-1].startswith("longterm: ")
