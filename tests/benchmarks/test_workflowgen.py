"""WorkflowGen: capture changes no result, and what-if answers predict the results of a rerun.

A what-if question deletes a row of the data. Then the same workflow runs without this row, and the
results are compared.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.workflows.lipstick import Dealerships, Row, Stations, Step, Workflow
from helpers.operations import Operation, write_operations
from helpers.warehouse import House
from provhouse.model.deletion import Deletion
from provhouse.query.consequences.what_if import what_if

Houses = Callable[..., House]
Make = Callable[[Workflow], Dealerships | Stations]
Call = tuple[str, str, int]
"""A step's op, the call in which the step ran, and the number of the execution."""
DELETIONS = 100
DEALERS: Make = partial(Dealerships, cars=120, probability=0.5)
WORKFLOWS: dict[str, tuple[Make, str]] = {
    "dealerships": (DEALERS, "cars"),
    "serial": (partial(Stations, stations=3, topology="serial", selectivity="season"), "station"),
    "dense": (
        partial(Stations, stations=6, topology="dense", fan=2, selectivity="month"), "station",
    ),
}  # fmt: skip
"""For each workflow: a function that creates it, and a prefix that its data tables' names share."""


class Watched(Workflow):
    """A workflow that records its aggregates' values, and can run without one of its data rows."""

    def __init__(self, capture: bool, table: str = "", lost: int = -1) -> None:
        super().__init__(capture)
        self.table, self.lost = table, lost
        self.values: dict[Call, float | None] = {}
        self.functions: dict[str, str] = {}
        self.ids: dict[Call, str] = {}

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Create a relation without the row that is omitted."""
        every = [*rows]
        if table == self.table:
            del every[self.lost]
        super().load(table, columns, every)

    def run(self, module: str, execution: int, call: str, steps: Iterable[Step]) -> None:
        """Run the steps one by one, and record the value of each aggregate."""
        for number, step in enumerate(steps):
            self._step(module, number, execution, call, step)

    def _step(self, module: str, number: int, execution: int, call: str, step: Step) -> None:
        one = f"{module} {number}"
        super().run(one, execution, call, [step])
        if step.kind != "aggregate":
            return
        op = f"{one} 0 aggregate"
        column = step.select.split()[-1]
        function = next(name for name in ("count", "min") if f"{name}(" in step.select)
        self.functions[op] = function
        found = self.db.sql(f"SELECT * FROM {step.table}").to_arrow_table().to_pylist()
        for row in found:
            key = op, call, execution
            self.values[key] = None if row[column] is None else float(row[column])
            if self.capture:
                self.ids[key] = f"{step.table}/{row['_id']}"


def executed(make: Make, flow: Watched, executions: int) -> list[object]:
    made = make(flow)
    return [made.execute(number) for number in range(executions)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "executions"),
    [
        ("serial", 2),
        *(pytest.param(name, 2, marks=pytest.mark.long) for name in WORKFLOWS if name != "serial"),
        *(pytest.param(name, 4, marks=pytest.mark.long) for name in WORKFLOWS),
    ],
)
def test_results_are_equal_with_and_without_capture(name: str, executions: int) -> None:
    make, _ = WORKFLOWS[name]
    plain, captured = Watched(capture=False), Watched(capture=True)
    assert executed(make, plain, executions) == executed(make, captured, executions)
    assert plain.values == captured.values
    assert (plain.count(), captured.count() > 0) == (0, True)


@pytest.mark.long
@pytest.mark.parametrize("name", WORKFLOWS)
def test_aggregates_without_a_row_are_those_of_running_again(
    houses: Houses, tmp_path: Path, name: str
) -> None:
    make, prefix = WORKFLOWS[name]
    whole, executions = Watched(capture=True), 3
    executed(make, whole, executions)
    whole.write(tmp_path / "triples.parquet")
    operations = [Operation(op, function=function) for op, function in whole.functions.items()]
    house = houses()
    house.ingest_files(
        tmp_path / "triples.parquet",
        operations=write_operations(tmp_path / "ops.csv", operations),
    )
    chance, recomputed = Random(DELETIONS), 0
    items = {item: key for key, item in whole.ids.items()}
    with house.asker() as asker:
        for item, table, lost in _rows(whole, prefix, chance, DELETIONS):
            again = Watched(capture=False, table=table, lost=lost)
            executed(make, again, executions)
            found = what_if(asker, Deletion(items=(item,)))
            changed = {items[row["item"]]: row for row in found.changed.to_pylist()}
            unknown = {row["item"] for row in found.unknown.to_pylist()}
            fates = {row["item"]: row["fate"] for row in found.items.to_pylist()}
            for key, before in whole.values.items():
                known: Any = fates.get(whole.ids[key], "survives")
                if known in ("undecided", "dies") or whole.ids[key] in unknown:
                    continue
                row = changed.get(key)
                assert again.values[key] == (row["after"] if row else before), (item, key)
                recomputed += row is not None
    assert recomputed


def _rows(flow: Watched, prefix: str, chance: Random, count: int) -> Iterable[tuple[str, str, int]]:
    """Return random data rows that occur in triples: item, table, and position in the table.

    If the rows are stations' readings, a third of them are the coldest ones, because minima depend
    on those.
    """
    query = f"SELECT DISTINCT src FROM triples WHERE src LIKE '{prefix}%' ORDER BY src"
    used = [src for (src,) in flow.db.execute(query).fetchall()]
    places: dict[str, list[int]] = {}
    found = list[tuple[str, str, int]]()
    order = chance.sample(used, len(used))
    if prefix == "station":
        order = sorted(used, key=partial(_temperature, flow))[: 1 + count // 3] + order
    for item in dict.fromkeys(order):
        table, _, ident = item.partition("/")
        if table not in places:
            rows = flow.db.execute(f"SELECT _id FROM {table} ORDER BY _id").fetchall()
            places[table] = [one for (one,) in rows]
        lost = places[table].index(int(ident))
        if prefix == "station" and lost >= len(places[table]) - 3:
            continue  # a measurement of an execution, which is not in the data
        found.append((item, table, lost))
    return found[:count]


def _temperature(flow: Watched, item: str) -> float:
    table, _, ident = item.partition("/")
    found = flow.db.execute(f"SELECT t FROM {table} WHERE _id = {ident}").fetchone()
    return float(found[0]) if found else 0.0
