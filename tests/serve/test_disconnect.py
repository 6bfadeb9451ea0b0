"""The server notices clients that disconnect before their answers, and answers waiting clients."""

import socket
from collections.abc import Iterator
from threading import Event, Thread
from time import monotonic, sleep

import pytest
import uvicorn
from fastapi import FastAPI, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from provhouse.serve.answering import watch_disconnect


class Asked(BaseModel):
    seconds: float


class Seen:
    """Records whether a call of the application has begun, and whether its client disconnected."""

    def __init__(self) -> None:
        self.began = Event()
        self.left: list[bool] = []


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def port(seen: Seen) -> Iterator[int]:
    app = FastAPI()

    @app.post("/")
    async def ask(asked: Asked, request: Request) -> str:
        async with watch_disconnect(request) as gone:
            seen.began.set()
            seen.left.append(await run_in_threadpool(gone.wait, asked.seconds))
        return "answer"

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join()


def asked(port: int, seconds: float) -> socket.socket:
    body = f'{{"seconds": {seconds}}}'
    head = (
        f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/json\r\n\r\n"
    )
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall((head + body).encode())
    return client


def test_a_disconnected_client_is_noticed(port: int, seen: Seen) -> None:
    client = asked(port, 20)
    assert seen.began.wait(10)
    client.close()
    until = monotonic() + 10
    while not seen.left and monotonic() < until:
        sleep(0.05)
    assert seen.left == [True]


def test_a_waiting_client_is_answered(port: int, seen: Seen) -> None:
    with asked(port, 1.2) as client:  # longer than the time between two checks of the connection
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    assert seen.left == [False]
