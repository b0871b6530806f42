"""The socket of the server."""

import asyncio
import socket

import pytest

from longterm import SetupError
from longterm.listener import hears_others, open_listener, url_of
from tests.store.embedded_processes import only_linux


@pytest.mark.parametrize(("host", "others"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_it_is_known_whether_other_machines_are_heard(host: str, others: bool) -> None:
    with open_listener(host, 0) as listener:
        assert hears_others(listener) == others


@pytest.mark.parametrize("host", ["no such host", "a" * 70, "x..y"])
def test_a_host_that_means_nothing_is_refused(host: str) -> None:
    with pytest.raises(SetupError, match="not an address of this machine"):
        open_listener(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_address_is_one_that_a_browser_takes(host: str) -> None:
    with open_listener(host, 0) as listener:
        port = listener.getsockname()[1]

        assert url_of(listener) in (f"http://127.0.0.1:{port}", f"http://[::1]:{port}")


def test_a_port_belongs_to_the_first_who_asks() -> None:
    with open_listener("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        with pytest.raises(SetupError, match=f"Port {port} is taken"):
            open_listener("127.0.0.1", port)


def test_no_answer_waits_for_the_client_to_confirm_its_first_part() -> None:
    with (
        open_listener("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()[:2]),
    ):
        accepted, _ = listener.accept()
        with accepted:
            at_once = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert at_once


@only_linux
async def test_who_does_not_read_is_cut_off() -> None:
    """Issue 5: by the kernel, because closing such a connection waits for the reader."""
    ended: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    class Talkative(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.WriteTransport)
            transport.write(bytes(32_000_000))

        def connection_lost(self, exc: Exception | None) -> None:
            ended.set_result(exc)

    with open_listener("127.0.0.1", 0, stall_s=0.5) as listener:
        loop = asyncio.get_running_loop()
        async with await loop.create_server(Talkative, sock=listener):
            with socket.create_connection(listener.getsockname()):
                error = await asyncio.wait_for(ended, 60)

    assert isinstance(error, TimeoutError)
