"""Run many concurrent clients of a server in one process, which `serve.py` starts.

Each client sends a question, waits for the answer, and sends the next question. Clients use
HTTP/1.1 over plain sockets, because an HTTP library would need more CPU time than the server. The
process reads its orders from standard input and writes its measurements to standard output, both as
JSON.
"""

import asyncio
import json
import random
import sys
from time import perf_counter, process_time
from typing import TypedDict, cast
from urllib.parse import quote


class Orders(TypedDict):
    """The input of this process: the server, the number of clients and their questions.

    ``questions`` has the URL paths of each class. ``weights`` has the relative frequency of each
    class.
    """

    host: str
    port: int
    token: str
    clients: int
    seconds: float
    seed: int
    questions: dict[str, list[str]]
    weights: dict[str, float]


class Load(TypedDict):
    """The measurements of all clients together.

    ``seconds`` has the time of each answer, by class. ``statuses`` has the number of answers, by
    HTTP status. ``cpu`` is the clients' CPU seconds.
    """

    seconds: dict[str, list[float]]
    statuses: dict[str, int]
    bytes: int
    lasted: float
    cpu: float


async def run(orders: Orders) -> Load:
    """Run all clients until time is up, and return their measurements."""
    load: Load = {"seconds": {}, "statuses": {}, "bytes": 0, "lasted": 0.0, "cpu": 0.0}
    began, cpu = perf_counter(), process_time()
    over = began + orders["seconds"]
    await asyncio.gather(*(client(orders, n, over, load) for n in range(orders["clients"])))
    load["lasted"], load["cpu"] = perf_counter() - began, process_time() - cpu
    return load


async def client(orders: Orders, number: int, over: float, load: Load) -> None:
    """Run one client. After a refusal, the client waits for one second, as the server requests."""
    rng = random.Random(orders["seed"] * 10_000 + number)
    classes, weights = list(orders["weights"]), list(orders["weights"].values())
    reader, writer = await asyncio.open_connection(orders["host"], orders["port"])
    while perf_counter() < over:
        kind = rng.choices(classes, weights)[0]
        writer.write(_request(orders, rng.choice(orders["questions"][kind])))
        began = perf_counter()
        status, size = await _reply(reader)
        load["statuses"][str(status)] = load["statuses"].get(str(status), 0) + 1
        load["bytes"] += size
        if status == 200:
            load["seconds"].setdefault(kind, []).append(perf_counter() - began)
        else:
            await asyncio.sleep(1)
    writer.close()


def _request(orders: Orders, path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: {orders['host']}:{orders['port']}\r\n"
        f"Authorization: Bearer {orders['token']}\r\n\r\n"
    ).encode()


async def _reply(reader: asyncio.StreamReader) -> tuple[int, int]:
    """Return the status of an answer, and the size of its body in bytes."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    if b"transfer-encoding: chunked" not in head:
        size = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(size)
        return status, size
    size = 0
    while length := int(await reader.readline(), 16):
        await reader.readexactly(length + 2)
        size += length
    await reader.readline()
    return status, size


def path_of(direction: str, item: str) -> str:
    """Return the path that asks the server for the lineage or impact of an item."""
    name = "lineage" if direction == "upstream" else "impact"
    return f"/v1/{name}?item={quote(item, safe='')}"


if __name__ == "__main__":
    given = cast(Orders, json.load(sys.stdin))
    json.dump(asyncio.run(run(given)), sys.stdout)
