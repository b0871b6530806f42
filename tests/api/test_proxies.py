"""Item 6: without a key nobody comes in by way of a proxy on the same machine."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable

import pytest

from longterm import Settings
from longterm.api import peers
from tests.api.test_server import listening, talk

# What these sent to the server behind them, recorded, when somebody opened /api/me through them.
# Each has the shortest configuration that passes requests on.
NGINX = b"GET /api/me HTTP/1.0\r\nHost: 127.0.0.1:8765\r\nConnection: close\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n"
NGINX_WEBSOCKETS = b"GET /api/me HTTP/1.1\r\nConnection: upgrade\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n"
NGINX_BROWSER = b"GET /api/me HTTP/1.0\r\nHost: 127.0.0.1:8765\r\nConnection: close\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\nAccept: */*\r\nAccept-Language: en\r\nAccept-Encoding: gzip, deflate\r\nReferer: http://memory.example/\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n\r\n"
APACHE = b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1:8765\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: memory.example\r\nX-Forwarded-Server: localhost\r\nConnection: Keep-Alive\r\n\r\n"
CADDY = b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1:8765\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: memory.example\r\nX-Forwarded-Proto: http\r\nAccept-Encoding: gzip\r\n\r\n"
HAPROXY = b"GET /api/me HTTP/1.1\r\nhost: memory.example\r\nuser-agent: curl/7.88.1\r\naccept: */*\r\n\r\n"

# What programs on this machine send, recorded in the same way.
CURL = b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1:8765\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n"
URLLIB = b"GET /api/me HTTP/1.1\r\nAccept-Encoding: identity\r\nHost: 127.0.0.1:8765\r\nUser-Agent: Python-urllib/3.11\r\nConnection: close\r\n\r\n"
CHROMIUM = b'GET /api/me HTTP/1.1\r\nHost: localhost:8765\r\nConnection: keep-alive\r\nsec-ch-ua: "Chromium";v="140"\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\nReferer: http://localhost:8765/\r\n\r\n'

# nginx with HTTP/1.1 and kept connections sends what curl does; newer ones do so by default.
NGINX_LIKE_CURL = CURL

WWW_DATA = 33


@pytest.fixture(scope="module")
def settings(new_database: Callable[[str], str]) -> Settings:
    return Settings(database_url=new_database("api_proxies"), worker=False, port=0)


@pytest.mark.parametrize("sent", [CURL, URLLIB, CHROMIUM])
async def test_a_program_on_this_machine_needs_no_key(settings: Settings, sent: bytes) -> None:
    async with listening(settings) as url:
        status, _ = await talk(url, sent)

    assert status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (NGINX, 401),
        (NGINX_WEBSOCKETS, 401),
        (NGINX_BROWSER, 401),
        (APACHE, 401),
        (CADDY, 401),
        # It hands on the name that it was called by, which is not ours.
        (HAPROXY, 421),
    ],
)
async def test_what_a_plain_proxy_passes_on_needs_a_key(
    settings: Settings, sent: bytes, status: int
) -> None:
    async with listening(settings) as url:
        answered, head = await talk(url, sent)

    assert answered == status
    assert (b"Bearer" in head) is (status == 401)


SAY = """
import encodings.idna, os, socket, sys
host, port, account = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.setuid(account)
with socket.create_connection((host, port)) as line:
    line.sendall(sys.stdin.buffer.read())
    print(line.recv(12).decode().split()[1])
"""


async def says(url: str, sent: bytes, account: int) -> str:
    """Let a program of this account send bytes, and return the status that it gets."""
    host, port = url.removeprefix("http://").split(":")
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-I", "-c", SAY, host, port, str(account)],
        input=sent,
        capture_output=True,
        check=True,
    )
    return ran.stdout.decode().strip()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_a_proxy_that_sends_what_curl_does_is_known_by_its_account(
    settings: Settings,
) -> None:
    async with listening(settings) as url:
        assert await says(url, NGINX_LIKE_CURL, WWW_DATA) == "401"
        assert await says(url, NGINX_LIKE_CURL, 1000) == "200"
        assert await says(url, NGINX_LIKE_CURL, os.geteuid()) == "200"


@pytest.mark.skipif(not peers._TABLES[0].exists(), reason="Linux only")  # pyright: ignore[reportPrivateUsage]
@pytest.mark.parametrize(
    ("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
)
async def test_the_account_at_the_other_end_is_found(
    family: socket.AddressFamily, host: str
) -> None:
    with (
        socket.create_server((host, 0), family=family) as listener,
        socket.create_connection(listener.getsockname()[:2]) as line,
    ):
        accepted, _ = listener.accept()
        with accepted:
            ends = (accepted.getpeername()[:2], accepted.getsockname()[:2])
            there = owner(*ends)
            line.close()
            gone = owner(*ends)

    assert there == os.geteuid()
    assert gone is None


def owner(peer: tuple[str, int], here: tuple[str, int]) -> int | None:
    tables = "\n".join(table.read_text() for table in peers._TABLES)  # pyright: ignore[reportPrivateUsage]
    return peers.owner_of(tables, peer, here)


TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   3: 0100007F:D1F2 0100007F:223D 01 00000000:00000000 00:00000000 00000000    33        0 123 1 0
   4: 0100007F:223D 0100007F:D1F2 01 00000000:00000000 00:00000000 00000000  1000        0 124 1 0
   5: 0100007F:D1F3 0100007F:223D 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0
   6: 0000000000000000FFFF00000100007F:D1F4 0000000000000000FFFF00000100007F:223D 01 0:0 0:0 0 101 0 125 1 0
"""


@pytest.mark.skipif(sys.byteorder == "big", reason="the kernel writes another order there")
@pytest.mark.parametrize(
    ("port", "account"),
    [(0xD1F2, 33), (0xD1F3, None), (0xD1F4, 101), (0xD1F5, None)],
    ids=["a proxy", "closed", "by IPv6", "not there"],
)
def test_the_account_is_read_from_the_list_of_the_kernel(port: int, account: int | None) -> None:
    assert peers.owner_of(TABLE, ("127.0.0.1", port), ("127.0.0.1", 8765)) == account


@pytest.mark.parametrize(
    ("account", "service"),
    [(33, True), (101, True), (999, True), (65_534, True), (61_200, True), (0, False),
     (1000, False), (60_000, False), (100_000, False)],
)  # fmt: skip
def test_services_are_told_from_people(account: int, service: bool) -> None:
    # Our own account may be any of these.
    assert peers.is_service(account) is (service and account != os.geteuid())
