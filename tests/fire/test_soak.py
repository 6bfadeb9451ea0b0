"""Test a server under mixed load, with writes and with kills of Neo4j: ``make soak`` (an hour).

Clients ask without pause. Each answer is compared with the answer of networkx for the same
generation. Meanwhile, files are ingested, the warehouse is compacted, items are retracted and
generations are pruned. Every two minutes, Neo4j is killed, which the server must notice and repair.
``MINUTES=5`` shortens the test.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Lock

import numpy as np
import psutil
import pytest
import requests

from helpers.command import Command
from helpers.cuts import kill_neo4j, neo4j_of
from helpers.fire import content
from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from provhouse.serve import server_file

pytestmark = pytest.mark.long

MINUTES = float(os.environ.get("MINUTES", "60"))
RESULTS = Path(os.environ.get("SOAKED", ".long/soak.json"))
CLIENTS = 4
KEPT = 6
"""The number of generations to keep. Clients never ask about an older one."""
PATHS = {"lineage": "upstream", "impact": "downstream"}
COLUMNS = ("src", "dst", "op")


@dataclass
class World:
    """The stored triples of each generation.

    The writer adds them just after it commits the generation.
    """

    items: list[str] = field(default_factory=list)
    """The items that clients ask about.

    An item stays stored even if no live triple contains it.
    """
    stored: dict[int, list[Triple]] = field(default_factory=dict)
    oracles: dict[int, Oracle] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def becomes(self, generation: int, rows: set[Triple]) -> None:
        with self.lock:
            self.stored[generation] = sorted(rows)

    def oracle(self, generation: int) -> Oracle:
        """Wait until the writer has added a generation's triples, then return their oracle."""
        until = time.monotonic() + 120
        while generation not in self.stored:
            assert time.monotonic() < until, f"the triples of generation {generation} are unknown"
            time.sleep(0.05)
        with self.lock:
            if generation not in self.oracles:
                oracle = self.oracles[generation] = Oracle.of(self.stored[generation])
                oracle.graph.add_nodes_from(self.items)
            return self.oracles[generation]


@dataclass
class Client:
    """A client that asks questions and records how long they take."""

    warehouse: Path
    world: World
    random: Random
    began: float
    took: list[tuple[float, float]] = field(default_factory=list)
    """The start and the duration of each request, in seconds. The test starts at second 0."""
    statuses: Counter[int] = field(default_factory=Counter)

    def ask(self, over: Event) -> None:
        found = server_file.running(self.warehouse)
        assert found
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {server_file.token(self.warehouse)}"
        while not over.is_set():
            path, item = self.random.choice(list(PATHS)), self.random.choice(self.world.items)
            began = time.monotonic()
            reply = session.get(f"{found.address}/v1/{path}", params={"item": item}, timeout=120)
            ended = time.monotonic()
            self.statuses[reply.status_code] += 1
            if reply.status_code == 503:
                time.sleep(0.5)
                continue
            assert reply.status_code == 200, reply.text
            self.took.append((began - self.began, ended - began))
            answer = reply.json()
            expected = self.world.oracle(answer["generation"]).ask(item, PATHS[path])
            assert content(answer) == expected, (item, path, answer["generation"])


@dataclass
class Writer:
    """A process that runs commands that change the warehouse, one after another."""

    command: Command
    world: World
    rows: list[Triple]
    random: Random
    folder: Path
    stored: set[Triple] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)

    def ingest(self) -> None:
        """Ingest a file with old and new triples."""
        name = f"{self.done['ingest']}.csv"
        new = [Triple(f"{name}/{n}", self.random.choice(self.rows).dst, "new") for n in range(5)]
        part = [*self.random.sample(self.rows, 20), *new]
        lines = [",".join(COLUMNS), *(",".join((row.src, row.dst, row.op)) for row in part)]
        (self.folder / name).write_text("\n".join(lines) + "\n")
        self._run("ingest", self.folder / name)
        self.stored |= set(part)

    def retract(self) -> None:
        """Retract the source of a random triple."""
        item = self.random.choice(sorted(self.stored)).src
        self._run("retract", item)
        self.stored = {row for row in self.stored if item not in (row.src, row.dst)}

    def step(self, number: int) -> None:
        """Make the change with the given number."""
        if number % 9 == 8:
            self._run("compact")
        elif number % 9 == 5:
            self._run("prune", "--keep", KEPT)
        elif number % 9 == 3:
            self.retract()
        else:
            self.ingest()
        self.world.becomes(self.generation(), self.stored)

    def generation(self) -> int:
        """Return the current generation."""
        commits = self.command.warehouse / "commits"
        return max(int(path.stem) for path in commits.glob("[0-9]*.json"))

    def _run(self, name: str, *arguments: object) -> None:
        done = self.command.start(name, *arguments)
        out, err = done.communicate(timeout=300)
        assert done.returncode == 0, out + err
        self.done[name] += 1


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Command]:
    command = Command(tmp_path / "warehouse", tmp_path / "neo4j")
    yield command
    command("down")
    command.end_all()


def size(command: Command) -> tuple[int, int]:
    """Return the memory (PSS) in megabytes, and the number of open files.

    Each value is a sum over the server, its Spark and its Neo4j.
    """
    found = server_file.running(command.warehouse)
    assert found
    server = psutil.Process(found.pid)
    family = [server, *server.children(recursive=True), *neo4j_of(Path(command.home or ""))]
    megabytes = files = 0
    for one in {process.pid: process for process in family}.values():
        try:
            megabytes += one.memory_full_info().pss // 1_000_000
            files += one.num_fds()
        except psutil.Error:
            continue  # the process has just been killed
    return megabytes, files


def test_an_hour_of_mixed_load_gives_right_answers_at_steady_speed_and_size(
    house: Command, tmp_path: Path
) -> None:
    world, random = World(), Random(1)
    rows = [row for seed in range(400, 430) for row in graph(seed).triples if plain(row)]
    writer = Writer(house, world, rows, random, tmp_path)
    writer.ingest()
    world.becomes(1, writer.stored)
    house("up")
    world.items = sorted({end for row in writer.stored for end in (row.src, row.dst)})
    began, over = time.monotonic(), Event()
    clients = [Client(house.warehouse, world, Random(n), began) for n in range(CLIENTS)]
    sizes: list[tuple[int, int]] = []
    with ThreadPoolExecutor(CLIENTS) as pool:
        asking = [pool.submit(client.ask, over) for client in clients]
        try:
            kills = run_writer(writer, sizes, lambda: any(one.done() for one in asking))
        finally:
            over.set()
        for one in asking:
            one.result()
    house("check", "--deep")
    judge(clients, writer, sizes, kills)


def plain(row: Triple) -> bool:
    """Return whether the names of a triple need no quoting in CSV."""
    return not any(mark in text for text in row[:3] for mark in ',"\r\n') and all(row[:2])


def run_writer(writer: Writer, sizes: list[tuple[int, int]], failed: Callable[[], bool]) -> int:
    """Write until the time is up or a client fails.

    Return the number of times that Neo4j was killed.
    """
    began, number, kills = time.monotonic(), 0, 0
    while time.monotonic() - began < 60 * MINUTES and not failed():
        writer.step(number)
        number += 1
        sizes.append(size(writer.command))
        if time.monotonic() - began > 120 * (kills + 1):
            kill_neo4j(Path(writer.command.home or ""))
            kills += 1
        time.sleep(5)
    return kills


def judge(clients: list[Client], writer: Writer, sizes: list[tuple[int, int]], kills: int) -> None:
    """Write the results; fail if the server became slower or uses more memory or open files."""
    took = sorted(pair for client in clients for pair in client.took)
    tenth = MINUTES * 60 / 10
    first = [seconds for at, seconds in took if at < tenth]
    last = [seconds for at, seconds in took if at > 9 * tenth]
    p95 = [round(float(np.percentile(some, 95)) * 1000, 1) for some in (first, last)]
    half = sizes[len(sizes) // 2 :]
    statuses = sum((client.statuses for client in clients), Counter[int]())
    results = {
        "minutes": MINUTES,
        "answers": len(took),
        "statuses": {str(status): count for status, count in statuses.items()},
        "commands": dict(writer.done),
        "neo4j_killed": kills,
        "p95_ms": {"first tenth": p95[0], "last tenth": p95[1]},
        "megabytes": [sizes[0][0], half[0][0], half[-1][0]],
        "files": [sizes[0][1], half[0][1], half[-1][1]],
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    assert p95[1] <= 2 * p95[0], results
    assert half[-1][0] <= 1.15 * half[0][0], results
    assert half[-1][1] <= 1.05 * half[0][1], results
