"""The programs that `peers.py` compares agree; differences and failures are reported."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import cast

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.peers import peers
from benchmarks.peers.peer import (
    AnswerDigest,
    ClassAnswers,
    ClassQuestions,
    Compared,
    ContenderInput,
    ContenderRun,
    Given,
    Peer,
)
from benchmarks.peers.peer_run import CONTENDERS, answered, digested, run, timed
from benchmarks.peers.peers import compared, measured, open_snapshot, prepared, started, tables
from benchmarks.questions.classes import DIRECTIONS, Kind, Questions
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.model.arrays import I64, ItemNumbers
from provhouse.model.errors import Damaged
from provhouse.model.question import Direction

LARGE, SMALL, EACH = 600, 30, 12
KINDS = [
    Kind(name, direction, large, least, most)
    for direction in DIRECTIONS
    for name, large, least, most in (("small", False, 2, 10), ("large", True, 5, 300))
]
PACKAGES = {"igraph": "igraph", "Ladybug": "ladybug", "DuckDB": "duckdb"}


def trace(seed: int) -> list[Triple]:
    """Return a large component with cycles, and some small ones. Only the large one is cut."""
    rng = np.random.default_rng(seed)
    pairs = [(int(rng.integers(0, one)), one) for one in range(1, LARGE)]
    pairs += [(int(rng.integers(0, one)), one) for one in range(200, LARGE)]
    pairs += [(one + 1, one) for one in range(300, 310)]
    for first in range(LARGE, LARGE + SMALL * EACH, EACH):
        pairs += [(int(rng.integers(first, one)), one) for one in range(first + 1, first + EACH)]
    return [Triple(f"i{src}", f"i{dst}", "op", "", "") for src, dst in dict.fromkeys(pairs)]


def installed(name: str) -> bool:
    package = PACKAGES.get(name.partition(",")[0])
    return package is None or find_spec(package) is not None


@pytest.fixture(scope="module")
def asked(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[Questions]]:
    """The folder with the input of the compared programs, and the questions of each class."""
    house = houses(theta=100, pack=10, partition_triples=200)
    house.ingest(trace(8))
    settings = {n: str(getattr(house.settings, n)) for n in ("warehouse", "neo4j_home", "theta")}
    folder = tmp_path_factory.mktemp("peers")
    return folder, prepared(open_snapshot(house.settings.warehouse), settings, folder, 8, KINDS, 2)


def given(folder: Path) -> ContenderInput:
    found: ContenderInput = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.long
@pytest.mark.skipif(not find_spec("duckdb"), reason="`make bench-peers` installs the peers")
def test_contenders_find_what_networkx_finds(asked: tuple[Path, list[Questions]]) -> None:
    folder, questions = asked
    assert [one.kind for one in questions] == KINDS
    graph: nx.DiGraph[int] = nx.DiGraph()
    triples = pq.read_table(folder / "triples.parquet")
    graph.add_edges_from(zip(*(triples[end].to_pylist() for end in ("src", "dst")), strict=True))

    def answer(item: int, direction: Direction) -> AnswerDigest:
        reached = nx.ancestors if direction == "upstream" else nx.descendants
        return digested(item, np.array(list(reached(graph, item)), np.int64))

    expected = [[answer(i, one.kind.direction) for i in one.items.tolist()] for one in questions]
    runs = {name: run(name, folder, given(folder)) for name in CONTENDERS if installed(name)}
    for name, each in runs.items():
        assert [one["answers"] for one in each["asked"]] == expected, name
        took = measured(each)["took"]
        assert all(one["seconds"] for one in took)
        assert all(bool(one["named"]) == ("provhouse" in name) for one in took)
        assert each["disk_bytes"] > 10_000
    assert [one["items"] for one in compared(questions, runs)] == [
        np.median([answer["items"] for answer in answers]) for answers in expected
    ]


def test_different_answers_are_reported() -> None:
    def one(*items: int) -> ContenderRun:
        answers = [digested(0, np.array(items))]
        asked: ClassAnswers = {"answers": answers, "late": False, "seconds": [1.0], "named": []}
        return {"load": {}, "peak_memory_mb": 1, "disk_bytes": 1, "asked": [asked]}

    questions = [Questions(Kind("small", "upstream", False, 1, 2), ItemNumbers(np.array([0])), 1)]
    assert [each["items"] for each in compared(questions, {"a": one(1, 2), "b": one(2, 1, 0)})]
    assert list(compared(questions, {"a": one(1), "failed": None}))
    for wrong in (one(1, 3), one(1)):
        with pytest.raises(Damaged, match="They found"):
            list(compared(questions, {"a": one(1, 2), "b": wrong}))
    with pytest.raises(Damaged, match="1 to 2 items"):
        list(compared(questions, {"a": one(1, 2, 3)}))


class Slow(Peer):
    """A program that answers questions about item 1 at once, and about other items never."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.cancelled = Event()

    def ask(self, item: int, direction: Direction) -> I64:
        if item != 1:
            self.cancelled.wait()
            raise RuntimeError("interrupted")
        return np.array([5, 1])

    def cancel(self) -> None:
        self.cancelled.set()


def test_late_answers_are_not_awaited(tmp_path: Path) -> None:
    peer = Slow(Given(tmp_path, tmp_path, {}, 0.2, tmp_path))
    question: ClassQuestions = {"direction": "upstream", "items": [1, 2, 3], "names": ["", "", ""]}
    answers = list(answered(peer, question))
    assert answers == [digested(1, np.array([5]))]
    assert timed(peer, question, answers)["late"]
    early: ClassQuestions = {"direction": "upstream", "items": [1], "names": [""]}
    assert not timed(peer, early, answers)["late"]


def test_levels_stop_when_the_time_is_over(tmp_path: Path) -> None:
    peer = Peer(Given(tmp_path, tmp_path, {}, 0.2, tmp_path))
    asked: list[int] = []

    def further(frontier: I64) -> I64:
        asked.extend(frontier.tolist())
        if len(asked) == 3:
            peer.late.set()
        return frontier + 1 if len(asked) < 9 else frontier[:0]

    with pytest.raises(Exception, match="time limit"):
        peer.levels(1, further)
    assert asked == [1, 2, 3]


@pytest.mark.long
def test_peers_may_fail_but_not_provhouse(tmp_path: Path) -> None:
    assert started("igraph", tmp_path) is None
    with pytest.raises(Exception, match="non-zero exit status"):
        started("provhouse, hot", tmp_path)


def test_tables_show_late_and_failed_contenders() -> None:
    times = {"p50": 0.00123, "p95": 1.5}
    cost = {"load": {"start": 1.0, "load": 2.5}, "peak_memory_mb": 1234, "disk_bytes": 5_000_000}
    results = {
        "seed": 5,
        "limit": 60.0,
        "load": 0.1,
        "machine": {"cpu": "any", "cores": 2, "memory_gib": 1},
        "versions": {"igraph": "1"},
        "warehouse": {"triples": 9, "items": 8},
        "ingest": None,
        "classes": [
            {"name": "SC-SL", "direction": direction, "large": False, "least": 1, "most": 2,
             "tried": 3, "asked": 1, "items": 1.0}
            for direction in DIRECTIONS
        ],
        "contenders": {
            "ours": {**cost, "took": [{"seconds": times, "named": times}] * 2},
            "slow": {**cost, "took": [{"seconds": None, "named": None}] * 2},
            "gone": None,
        },
    }  # fmt: skip
    found = tables(cast(Compared, results)).splitlines()
    assert "| ours | 3.5 s | 1,234 MB | 5 MB |" in found
    assert found.count("| ours | 1.2 ms / 1.5 s |") == 2
    assert found.count("| ours, with names and triples | 1.2 ms / 1.5 s |") == 2
    assert found.count("| slow | over 60 s |") == 2
    assert "gone: failed." in found
    assert peers.sizes({"1": cast(Compared, results)}) == ""
    one = cast(Compared, results)
    more: Compared = {**one, "contenders": {"ours": one["contenders"]["ours"]}}
    grown = peers.sizes({"1": one, "9": more}).splitlines()
    assert "| ours | 3.5 s / 3.5 s | 1,234 MB / 1,234 MB | 5 MB / 5 MB |" in grown
    assert grown.count("| ours | 1.2 ms / 1.2 ms |") == 2
    assert not [line for line in grown if "slow" in line or "gone" in line]
