"""The paper's two examples, item by item."""

from collections.abc import Callable

import pytest

from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content

EDGES = (
    (1, 13), (4, 16), (7, 19), (2, 14), (5, 17), (14, 22), (17, 22), (8, 20), (20, 24), (3, 15),
    (6, 18), (15, 23), (18, 23), (9, 21), (21, 25),
)  # fmt: skip


def table(item: int) -> str:
    return "Person1" if item <= 12 else "Person2" if item <= 21 else "AvgAge"


FIRST = [
    Triple(str(src), str(dst), "R1" if src <= 12 else "R2", table(src), table(dst))
    for src, dst in EDGES
]


@pytest.fixture(scope="module")
def first(houses: Callable[..., House]) -> House:
    house = houses(pack=0)
    house.ingest(FIRST)
    return house


def test_first(first: House) -> None:
    with first.asker() as asker:
        a = asker.ask("23", "upstream", "csprov")
        assert content(a) == Oracle.of(FIRST).ask("23", "upstream")
