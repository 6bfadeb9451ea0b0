"""With slow clients and huge requests, memory stays limited and other clients get answers."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from provhouse.serve.connections import HEAD_BYTES, HEAD_SECONDS, MOST
from provhouse.serve.server_file import BODY_BYTES

if TYPE_CHECKING:
    from .conftest import Served

ASKED = "POST /v1/lineage HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
GROWTH = 100 << 20
"""The number of bytes by which the server's memory may grow during a test."""


@pytest.fixture(autouse=True, scope="module")
def _asked_before(served: "Served") -> None:
    served.get("/v1/lineage", item="t:9")


def opened(served: "Served") -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.server.port), timeout=60)


def head(served: "Served", *lines: str, token: str | None = None) -> bytes:
    shown = token or served.token
    given = (f"Authorization: Bearer {shown}", "Content-Type: application/json", *lines)
    begin = ASKED.format(port=served.server.port)
    return (begin + "".join(f"{line}\r\n" for line in given) + "\r\n").encode()


def reply(client: socket.socket) -> bytes:
    """Return all bytes that arrive before the server closes the connection."""
    read = b""
    try:
        while piece := client.recv(65536):
            read += piece
    except ConnectionResetError:
        pass
    return read


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def poured(client: socket.socket, piece: bytes, most: int) -> int:
    """Send up to ``most`` bytes, until the server accepts no more. Return the number sent."""
    sent = 0
    try:
        while sent < most:
            client.sendall(piece)
            sent += len(piece)
    except OSError:
        pass
    return sent


@contextmanager
def bounded(served: "Served") -> Iterator[None]:
    """Check that the ``with`` block adds little to the server's memory and open files."""
    memory, files = served.process.memory_info().rss, served.process.num_fds()
    yield
    assert served.process.memory_info().rss - memory < GROWTH
    until = time.monotonic() + 20
    while served.process.num_fds() > files + 10:
        assert time.monotonic() < until
        time.sleep(0.1)


def assert_serves(served: "Served") -> None:
    began = time.monotonic()
    assert served.get("/v1/lineage", item="t:9").status_code == 200
    assert time.monotonic() - began < 30  # half of the time that the server waits for a slow reader


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(served: "Served") -> None:
    with opened(served) as client:
        client.sendall(head(served, "Content-Length: 10000000000"))
        assert status(reply(client)) == 413
    assert_serves(served)


def test_a_body_without_a_valid_token_is_not_read(served: "Served") -> None:
    with opened(served) as client:
        client.sendall(head(served, "Content-Length: 1000000", token="guessed"))
        assert status(reply(client)) == 401


def test_an_endless_body_is_cut_off(served: "Served") -> None:
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with bounded(served), opened(served) as client:
        client.sendall(head(served, "Transfer-Encoding: chunked"))
        sent = poured(client, chunk, 10 << 30)
        assert sent < BODY_BYTES + (32 << 20)  # the rest is in buffers of the system
    assert_serves(served)


def test_an_endless_head_is_cut_off(served: "Served") -> None:
    with bounded(served), opened(served) as client:
        client.sendall(ASKED.format(port=served.server.port).encode() + b"X: ")
        assert poured(client, b"x" * 65536, 1 << 30) < HEAD_BYTES + (32 << 20)
    assert_serves(served)


def test_too_many_connections_do_not_block_others(served: "Served") -> None:
    with bounded(served), ExitStack() as stack:
        for _ in range(MOST + 200):
            stack.enter_context(opened(served))
        assert_serves(served)
        assert served.process.num_fds() < MOST + 400


def test_slow_readers_do_not_block_others(served: "Served") -> None:
    """Each slow reader asks for an answer that exceeds the buffers, but does not read it."""
    body = ('{"items": [' + ",".join(['"t:290"'] * 2000) + "]}").encode()
    with bounded(served), ExitStack() as stack:
        for _ in range(10):
            client = stack.enter_context(opened(served))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(head(served, f"Content-Length: {len(body)}") + body)
        time.sleep(1)
        assert_serves(served)


@pytest.mark.long
def test_ten_thousand_unfinished_requests_do_not_block_others(served: "Served") -> None:
    with bounded(served), ExitStack() as stack:
        begin = head(served)
        for number in range(10_000):
            client = stack.enter_context(opened(served))
            client.sendall(begin[: number % 20])
            if number % 1000 == 0:
                assert_serves(served)
        assert_serves(served)
        assert served.process.num_fds() < MOST + 400


@pytest.mark.long
def test_a_head_of_one_byte_per_second_is_cut_off(served: "Served") -> None:
    with opened(served) as client:
        began = time.monotonic()
        for byte in head(served):
            try:
                client.sendall(bytes([byte]))
            except OSError:
                break
            time.sleep(1)
            assert_serves(served)
        assert time.monotonic() - began < 3 * HEAD_SECONDS
