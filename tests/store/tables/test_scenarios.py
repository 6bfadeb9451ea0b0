"""The tables permit the later changes that docs/decisions/0004-tables.md lists as scenarios."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.rollback import rollback
from provhouse.commit import append
from provhouse.ingest import writing_run as writer
from provhouse.model.progress import Silent
from provhouse.store.tables import delta_tables as tables
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current, generations, read_commit
from provhouse.store.warehouse.ids import read_ids

Houses = Callable[..., House]

FIRST = [Triple(f"a{n}", f"a{n + 1}", "step", "left", "left") for n in range(12)]
SECOND = [
    Triple("a3", "b0", "fork", "left", "right"),
    *[Triple(f"b{n}", f"b{n + 1}", "step", "right", "right") for n in range(8)],
    Triple("b8", "a9", "join", "right", "left"),
]
THIRD = [Triple("c0", "c1", "step", "far", "far"), Triple("c1", "a0", "join", "far", "left")]


def _agrees(house: House, triples: list[Triple], *items: str) -> None:
    oracle = Oracle.of(triples)
    with house.asker() as asker:
        for item in items:
            for direction in ("upstream", "downstream"):
                answer = asker.ask(item, direction, "csprov")
                assert content(answer) == oracle.ask(item, direction), (item, direction)


@pytest.mark.long
def test_a_rolled_back_ingest_is_invisible_and_its_names_get_new_numbers(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    house.ingest(FIRST)
    house.ingest(SECOND)
    rollback(house.settings, Silent())
    house.check()
    _agrees(house, FIRST, "a0", "a9", "a12")
    before = read_ids(house.layout)
    house.ingest(SECOND + THIRD)
    _agrees(house, FIRST + SECOND + THIRD, "a0", "a9", "b4", "c0")
    snapshot = Snapshot(house.layout, read_commit(house.layout, before.generation))
    assert int(snapshot.names.locate(pa.array(["b0"]))[0]) >= before.item
    assert snapshot.commit.visible == ((1, 1), (before.ingest, before.ingest))


@pytest.mark.long
def test_a_second_base_exists_beside_the_first(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    house.ingest(FIRST + SECOND)
    house.ingest(THIRD, replace=True)
    _agrees(house, THIRD, "c0", "a0")
    old, new = (read_commit(house.layout, g) for g in generations(house.layout))
    assert (old.base, new.base) == (1, 2)
    sets = [np.asarray(Snapshot(house.layout, commit).set_ids) for commit in (old, new)]
    assert not set(sets[0]) & set(sets[1])
    assert Snapshot(house.layout, old).rows("triples", ["src"]).num_rows == len(FIRST + SECOND)


@pytest.mark.long
def test_old_components_are_merged_twice(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    parts = [[Triple(f"{p}{n}", f"{p}{n + 1}", "step") for n in range(6)] for p in "xyz"]
    summary = house.ingest([t for part in parts for t in part])
    assert summary.components == 3
    joins = [Triple("x6", "y0", "join"), Triple("y6", "z0", "join"), Triple("z6", "x0", "join")]
    stored = [t for part in parts for t in part]
    for expected, join in ((2, joins[0]), (1, joins[1]), (1, joins[2])):
        stored = [*stored, join]
        summary = house.ingest([join])
        assert (summary.components, summary.new_items) == (expected, 0)
        _agrees(house, stored, "x0", "y3", "z6")


class Crash(BaseException):
    """An exception that simulates a kill. No code of provhouse catches it."""


@pytest.mark.parametrize(
    "table", [pytest.param(n, marks=[pytest.mark.long] * (n not in (2, 5))) for n in range(6)]
)
def test_what_a_crash_leaves_is_removed(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, table: int
) -> None:
    house = houses(theta=4, pack=0)
    house.ingest(FIRST)
    before = read_ids(house.layout)
    _crash_after(table, house, monkeypatch)
    assert generations(house.layout) == [1]
    assert read_ids(house.layout).unfinished
    _agrees(house, FIRST, "a0", "a9")
    house.ingest(SECOND)
    _agrees(house, FIRST + SECOND, "a0", "a9", "b4")
    commit = current(house.layout)
    assert commit
    assert commit.visible == ((1, 1), (before.ingest + 1, before.ingest + 1))
    snapshot = Snapshot(house.layout, commit)
    files = {f"{p:010d}.parquet" for p in snapshot.partitions.tolist()}
    folder = house.layout.table(commit.base, "triples")
    assert {file.name for file in folder.glob("*.parquet")} == files


def _crash_after(count: int, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an ingest that crashes after it has appended to ``count`` tables, without clean-up."""
    left = [count]

    def append_rows(folder: Path, *arguments: Any) -> int:
        if left[0] == 0:
            raise Crash
        left[0] -= 1
        return real(folder, *arguments)

    real = tables.append_rows
    with monkeypatch.context() as patch:
        patch.setattr(append, "append_rows", append_rows)
        patch.setattr(writer, "clean_up", lambda layout: None)
        with pytest.raises(Crash):
            house.ingest(SECOND)
