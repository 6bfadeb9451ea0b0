"""On real provenance, every method gives the same answers as networkx.

The tests are skipped if the samples are missing.
"""

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random

import networkx as nx
import pytest

from helpers.oracle import Expected, Oracle, Triple
from helpers.warehouse import House
from provhouse.model.answer import Answer
from provhouse.model.question import Direction, Method

DATA = Path(__file__).parents[3] / "shared" / "data"
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
ITEMS, FEW = 30, 10
"""The number of items to ask about, and the number in the short tests."""
DEEP, SHALLOW = 50, 12
"""The maximum depth of answers by RQ and CCProv, and the maximum depth in the short tests.

Each level of depth is a Spark job.
"""
SHORT = {("wfinstances", 100), ("git_merkle", 100)}
"""The pairs of a sample and a theta that `make test` tests."""
OFTEN = 10
"""One in this many items is also asked about with RQ and CCProv.

Only a few are, because these methods run a Spark job for each level.
"""


@pytest.mark.long
@pytest.mark.skipif(not DATA.exists(), reason=f"the real samples are not in {DATA}")
@pytest.mark.parametrize(
    "theta", [100, *(pytest.param(n, marks=pytest.mark.long) for n in (10, 25_000))]
)
@pytest.mark.parametrize(
    "name",
    [
        "wfinstances",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("git_merkle", "wf4ever", "git_versions")
        ),
    ],
)
def test_real_samples_equal_networkx(houses: Callable[..., House], name: str, theta: int) -> None:
    path = DATA / f"{name}.csv.gz"
    oracle = Oracle.of(read(path))
    house = houses(theta=theta)
    house.ingest_files(path, names="global")  # some names in wf4ever are in two tables
    few = (name, theta) in SHORT
    by_all = dict.fromkeys(DIRECTIONS, 0)
    chosen = Random(theta).sample(sorted(oracle.graph), FEW if few else ITEMS)
    with house.asker() as asker:
        for turn, item in enumerate(chosen):
            for direction in DIRECTIONS:
                expected = oracle.ask(item, direction)
                deepest = max((depth for _, depth in expected.items), default=0)
                methods: list[Method] = ["csprov"]
                most = SHALLOW if few else DEEP
                if 0 < deepest <= most and by_all[direction] * OFTEN <= turn:
                    methods += ["rq", "ccprov"]
                    by_all[direction] += 1
                for method in methods:
                    found = distinct(asker.ask(item, direction, method))
                    assert found == expected, f"{item}, {direction}, {method}, theta {theta}"
    assert any(by_all.values())


def read(path: Path) -> list[Triple]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Triple(row["src"], row["dst"], row["op"]) for row in rows]


def distinct(answer: Answer) -> Expected:
    """Return the content of an answer.

    Triples that differ only in their attributes count as one triple.
    """
    items = zip(answer.items["item"].to_pylist(), answer.items["depth"].to_pylist(), strict=True)
    triples = zip(*(answer.triples[n].to_pylist() for n in ("src", "dst", "op")), strict=True)
    return Expected(set(items), set(triples), answer.truncated is not None)


@pytest.mark.long
@pytest.mark.skipif(not DATA.exists(), reason=f"the real samples are not in {DATA}")
def test_the_samples_have_long_chains() -> None:
    """With only short chains, the comparison with networkx would prove little."""
    merkle = Oracle.of(read(DATA / "git_merkle.csv.gz")).graph
    assert nx.dag_longest_path_length(nx.DiGraph(merkle)) > 4 * DEEP
