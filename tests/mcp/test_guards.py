"""What stands around `/mcp`: the same as around everything else."""

import logging
import subprocess
import sys
from collections.abc import Callable
from typing import cast

import httpx
import psycopg
import pytest

from longterm import AsyncTenant
from longterm.mcp.server import server_of
from longterm.memory.tenant import Person
from mcp import Client
from tests.api.checks import problem
from tests.mcp.conftest import message, post, serving

LIST = message("tools/list")


async def test_a_host_that_is_allowed_is_answered_and_another_is_not(open_url: str) -> None:
    assert (await post(open_url, LIST, Host="memory.example")).status_code == 200
    problem(await post(open_url, LIST, Host="evil.example"), 421)


async def test_a_page_that_is_allowed_is_answered_and_another_is_not(open_url: str) -> None:
    allowed = await post(open_url, LIST, Origin="https://inspector.example")
    async with httpx.AsyncClient(timeout=60) as http:
        asked = await http.options(
            f"{open_url}/mcp",
            headers={
                "Origin": "https://inspector.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "mcp-protocol-version,x-longterm-user",
            },
        )

    assert allowed.status_code == 200
    assert asked.status_code == 200
    problem(await post(open_url, LIST, Origin="https://evil.example"), 403)


async def test_a_body_that_is_too_large_is_refused(open_url: str) -> None:
    problem(await post(open_url, message("ping", pad="x" * 100_000)), 413)


async def test_a_request_has_an_id_and_safe_headers(open_url: str) -> None:
    answer = await post(open_url, LIST, X_Request_Id="mine")

    assert answer.headers["x-request-id"] == "mine"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_is_nothing_to_listen_to_and_nothing_to_end(open_url: str, method: str) -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.request(method, f"{open_url}/mcp")

    problem(answer, 405)
    assert answer.headers["allow"] == "OPTIONS, POST"


@pytest.mark.parametrize(
    "body",
    ["", "nonsense", "[]", "{}", "null", '{"jsonrpc": "2.0"}', "[" * 50_000, '"\\ud800"'],
)
async def test_what_is_not_of_the_protocol_is_refused(open_url: str, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    for version in ({}, {"Mcp-Protocol-Version": "2026-07-28"}, {"Mcp-Protocol-Version": "1"}):
        async with httpx.AsyncClient(timeout=60) as http:
            answer = await http.post(f"{open_url}/mcp", content=body, headers=headers | version)

        assert 400 <= answer.status_code < 500
        assert "Traceback" not in answer.text


async def test_half_a_character_comes_to_nothing(open_url: str) -> None:
    for arguments in ('{"content": "\\ud800"}', '{"content": "x", "\\ud800": 1}'):
        body = (
            '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
            f'"params": {{"name": "remember", "arguments": {arguments}}}}}'
        )
        async with httpx.AsyncClient(timeout=60) as http:
            answer = await http.post(
                f"{open_url}/mcp", content=body, headers={"Content-Type": "application/json"}
            )

        assert answer.status_code < 500
        assert "result" not in answer.json() or answer.json()["result"]["isError"]


async def test_a_key_has_so_many_requests_and_no_more(new_database: Callable[[str], str]) -> None:
    database = new_database("longterm_mcp_rates")
    async with serving(database_url=database, requests_per_minute=2) as url:
        answers = [await post(url, LIST) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]


async def test_what_takes_too_long_is_ended(new_database: Callable[[str], str]) -> None:
    database = new_database("longterm_mcp_slow")
    async with (
        serving(database_url=database, request_timeout_s=0.1) as url,
        await psycopg.AsyncConnection.connect(database) as raw,
    ):
        # Whether a key is needed is asked first, and not answered.
        await raw.execute("LOCK TABLE longterm.api_keys")
        told = problem(await post(url, LIST), 503)

    assert told["code"] == "too_slow"


async def test_our_logging_stays_as_it_is() -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)

    async with Client(server_of(Person("ada", 1, cast("AsyncTenant", None)))) as client:
        await client.list_tools()

    assert (list(root.handlers), root.level) == before


def test_the_protocol_is_loaded_by_nobody_who_does_not_speak_it() -> None:
    script = """
import sys
from longterm import AsyncLongterm, Longterm
import longterm.server
from longterm.cli import main
sys.argv = ["longterm", "--help"]
try:
    main()
finally:
    print(sorted(name for name in sys.modules if name.startswith(("mcp", "longterm.mcp"))))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines()[-1] == "[]"
