"""A server sends the rows of a large answer as it finds them, and states why one ends early."""

import json
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, IncompleteRead
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
import requests
import uvicorn

from helpers.oracle import Oracle, Triple
from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.model.answer import Answer
from provhouse.model.errors import TooSlow, Unavailable
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Question
from provhouse.query.lineage import as_found, ask
from provhouse.serve.asker_pool import SharedAsker
from provhouse.serve.auth import Access
from provhouse.serve.client import Client
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People
from provhouse.serve.server_file import ServerInfo

LEAVES = 40_000
LONG = "x" * 400
"""A name so long that an answer does not fit into the buffers between server and client."""
HEADERS = {"Authorization": "Bearer secret", "Accept": "application/jsonl"}
SMALL = [Triple("a", "b", "op"), *(Triple("b", f"c{n}", "op") for n in range(9))]


@dataclass
class Served:
    """A warehouse and its server, which runs in this process."""

    house: House
    keeper: Keeper
    port: int

    def get(self, path: str, **parameters: Any) -> requests.Response:
        """Ask for JSON lines, and return the response before its body has been read."""
        return requests.get(
            f"http://127.0.0.1:{self.port}{path}", params=parameters, stream=True, timeout=60,
            headers=HEADERS,
        )  # fmt: skip


@pytest.fixture(scope="module")
def served(houses: Callable[..., House]) -> Iterator[Served]:
    house = houses()
    house.ingest([*SMALL, *(Triple("hub", f"{n}/{LONG}", "op") for n in range(LEAVES))])
    listening = socket.create_server(("127.0.0.1", 0))
    port = int(listening.getsockname()[1])
    keeper = Keeper(house.settings, Silent())
    app = application(
        keeper,
        house.settings,
        Access(People(house.settings.warehouse, "secret"), frozenset({f"127.0.0.1:{port}"})),
    )
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask, "MANY_ITEMS", 2)
        patch.setattr(as_found, "ROWS", 500)
        thread.start()
        until = monotonic() + 60
        while not keeper.generation:
            assert monotonic() < until
            sleep(0.05)
        yield Served(house, keeper, port)
        server.should_exit = True
        thread.join()


def rows(response: requests.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in response.iter_lines()]


@pytest.mark.long
def test_rows_come_as_found_or_by_depth(served: Served) -> None:
    expected = Oracle.of(SMALL).ask("a", "downstream")
    for order, named in (({}, "found"), ({"order": "depth"}, None)):
        head, *found = rows(served.get("/v1/impact", item="a", **order))
        assert head["answer"].get("order") == named
        assert head["answer"]["complete"]
        items = [(row["item"], row["depth"]) for row in found if "item" in row]
        assert {(row["src"], row["dst"], row["op"]) for row in found if "src" in row} == (
            expected.triples
        )
        assert set(items) == expected.items
        assert len(found) == len(expected.items) + len(expected.triples)
        if named is None:
            assert items == sorted(items, key=lambda one: (one[1], one[0]))


def becomes_unused(shared: SharedAsker) -> bool:
    """Wait until no answer uses the asker; return whether this happened.

    A server ends an answer only after the client has received all of it.
    """
    until = monotonic() + 60
    while shared._users and monotonic() < until:
        sleep(0.05)
    return not shared._users


@pytest.mark.long
def test_a_client_that_leaves_releases_the_generation(served: Served) -> None:
    shared = served.keeper._current
    assert shared
    assert becomes_unused(shared)
    with served.get("/v1/impact", item="hub") as response:
        next(response.iter_lines())
        assert shared._users == 1
    assert becomes_unused(shared)


@pytest.mark.long
def test_an_answer_that_cannot_be_completed_breaks_off(served: Served) -> None:
    """An item is erased while the client, which has a small buffer, does not read the answer."""
    with socket.socket() as narrow:
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        narrow.settimeout(60)
        narrow.connect(("127.0.0.1", served.port))
        connection = HTTPConnection("127.0.0.1", served.port)
        connection.sock = narrow
        connection.request("GET", "/v1/impact?item=hub", headers=HEADERS)
        response = connection.getresponse()
        head = json.loads(response.readline())["answer"]
        assert (response.status, head["order"]) == (200, "found")
        forget(["c1"], served.house.settings, Silent())
        with pytest.raises(IncompleteRead):
            deque(iter(lambda: response.read1(1 << 16), b""), maxlen=0)


def client_of(served: Served) -> Client:
    server = ServerInfo(os.getpid(), served.port)
    return Client(served.house.settings.warehouse, server, "secret")


LAST = TooSlow("The answer takes long", "It was stopped", "Ask for less")


@pytest.mark.long
@pytest.mark.parametrize("accept", one_in(6, ["application/json", "application/jsonl", "text/csv"]))
def test_a_client_is_told_which_error_ended_many_answers(
    served: Served, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    """Parts of the first answer are sent before the second answer fails."""
    answer = ask.Asker.answer

    def failing(asker: ask.Asker, question: Question, watch: Stopwatch, **how: Any) -> Answer:
        if question.item == "b":
            raise LAST
        return answer(asker, question, watch, **how)

    monkeypatch.setattr(ask.Asker, "answer", failing)
    received = list[bytes]()
    asked = client_of(served).ask("/v1/impact", {"items": ["hub", "b"]}, accept, {})
    with pytest.raises(TooSlow) as caught, asked as reply:
        received.extend(reply.pieces)
    assert vars(caught.value) == vars(LAST)
    assert len(received) > 1
    assert b"exit_status" not in b"".join(received)


@pytest.mark.long
def test_a_client_is_told_what_ended_a_large_answer(served: Served) -> None:
    """An item is erased while the client does not read the answer."""

    def pieces() -> Iterator[bytes]:
        asked = client_of(served).ask("/v1/impact", {"item": "hub"}, "application/jsonl", {})
        with asked as reply:
            yield from reply.pieces

    reading = pieces()
    assert next(reading).startswith(b'{"answer"')
    forget(["c2"], served.house.settings, Silent())
    with pytest.raises(Unavailable, match="The answer is incomplete"):
        deque(reading, maxlen=0)
