"""A nightly Spark job, edited: records that differ because of code or data, and their inputs."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.workflows.responsible import ResponsibleInputs
from provhouse.workflows.revision_diff import RecordsDiff

Order = tuple[int, str, int]
Rows = dict[str, tuple[tuple[object, ...], set[str]]]
"""The rows of a result by key, each with the orders from which it derives."""
OLD = [(i, f"c{i % 4}", i % 9) for i in range(1, 31)]
CHANGED = {5: 8, 7: 2, 13: 6, 20: 5, 22: 1}
"""The prices that are different in the second night, by order."""
NEW = [(i, c, CHANGED.get(i, p)) for i, c, p in OLD]
KEYS = {"orders": "id", "report": "id", "totals": "customer"}
LIMITS = (5, 3)


@dataclass(frozen=True)
class Nights:
    """A warehouse with both nights of the job, and the sink that the job writes."""

    house: House
    revisions: tuple[str, str]
    sink: str

    def difference(self) -> RecordsDiff:
        with self.house.open() as warehouse:
            found = warehouse.diff_revisions(*self.revisions, self.sink, records=True)
        assert found.verdict == "unknown"
        assert found.operator == "filter, operator 2 of " + ("3" if self.sink == "report" else "5")
        assert found.results
        return found.results

    def responsible(self) -> ResponsibleInputs:
        with self.house.open() as warehouse:
            return warehouse.responsible_inputs(*self.revisions, self.sink)


def write(spark: SparkSession, rows: Iterable[Order], folder: Path) -> None:
    frame = spark.createDataFrame([*rows], "id int, customer string, price int")
    frame.coalesce(1).write.mode("overwrite").parquet(str(folder))


def night(house: House, orders: Path, out: Path, limit: int, workflow: str) -> str:
    """Execute and capture the job, which writes ``out``; return the name of its revision."""
    read = house.session.read.parquet(str(orders))
    kept = read.where(F.col("price") > limit).select("id", "customer", "price")
    totals = kept.groupBy("customer").agg(F.sum("price").alias("total"))
    keys = {name: KEYS[name] for name in ("orders", out.name)}
    with house.capture(keys=keys, workflow=workflow) as run:
        (kept if out.name == "report" else totals).write.mode("overwrite").parquet(str(out))
    assert run.report
    return run.report.revision


def report(rows: Iterable[Order], limit: int) -> Rows:
    return {str(i): ((i, c, p), {f"orders/{i}"}) for i, c, p in rows if p > limit}


def totals(rows: Iterable[Order], limit: int) -> Rows:
    of = defaultdict[str, list[Order]](list)
    for row in rows:
        if row[2] > limit:
            of[row[1]].append(row)
    return {c: ((c, sum(r[2] for r in each)), {f"orders/{r[0]}" for r in each})
            for c, each in of.items()}  # fmt: skip


SINKS: dict[str, Callable[[Iterable[Order], int], Rows]] = {"report": report, "totals": totals}


@pytest.fixture(scope="module", params=one_in(2, SINKS))
def nights(
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Nights:
    """Two nights of a job with changed code and data, and both crossed combinations."""
    folder, house = tmp_path_factory.mktemp("nights ünd"), houses()
    orders, kept = folder / "orders", folder / "kept" / "orders"
    write(spark, OLD, orders)
    shutil.copytree(orders, kept)
    first = night(house, orders, folder / "out" / request.param, LIMITS[0], "nightly")
    write(spark, NEW, orders)
    second = night(house, orders, folder / "out" / request.param, LIMITS[1], "nightly")
    assert (first, second) == ("nightly@r1", "nightly@r2")
    assert night(house, orders, folder / "again" / request.param, LIMITS[0], "again") == "again@r1"
    assert night(house, kept, folder / "again" / request.param, LIMITS[1], "again") == "again@r2"
    return Nights(house, (first, second), request.param)


def expected(sink: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the cause of each record that differs, found by four executions."""
    made = SINKS[sink]
    one, other = made(OLD, LIMITS[0]), made(NEW, LIMITS[1])
    data, code = made(NEW, LIMITS[0]), made(OLD, LIMITS[1])
    found = {}
    for key in {*one, *other}:
        old, new, by_data, by_code = (
            rows[key][0] if key in rows else None for rows in (one, other, data, code)
        )
        if old == new:
            continue
        kind = "came" if old is None else "went" if new is None else "changed"
        causes = {(new, old): "code", (old, new): "data", (new, new): "either"}
        found[key] = kind, causes.get((by_code, by_data), "both")
    return found


def test_records_came_went_and_changed_by_code_or_data(nights: Nights) -> None:
    sink = nights.sink
    found, oracle = nights.difference(), expected(sink)
    assert found.notes == ()
    assert found.key == (KEYS[sink],)
    numbers = Counter(kind for kind, _ in oracle.values())
    assert (found.came, found.went, found.changed) == tuple(
        numbers[kind] for kind in ("came", "went", "changed")
    )
    seen = {
        str((each.after or each.before or {})[KEYS[sink]]): (each.kind, each.cause)
        for each in found.records
    }
    assert seen == oracle
    assert {"code", "data"} <= {cause for _, cause in oracle.values()} or sink == "totals"


def test_the_inputs_of_both_nights_are_known_by_lineage(nights: Nights) -> None:
    found, made = nights.responsible(), SINKS[nights.sink]
    before, after = made(OLD, LIMITS[0]), made(NEW, LIMITS[1])
    assert len(found.records) == len(expected(nights.sink))
    for each in found.records:
        key = str(each.after or each.before).partition("/")[2].partition("@")[0]
        one, other = (rows[key][1] if key in rows else set() for rows in (before, after))
        sides = {(True, True): "both", (True, False): "before", (False, True): "after"}
        assert {source.item: source.of for source in each.inputs} == {
            item: sides[item in one, item in other] for item in one | other
        }
        assert all(source.table == "orders" for source in each.inputs)
    assert sum(each.only_after for each in found.tables) > 0


def test_a_job_that_did_not_change_is_reused_by_its_key(nights: Nights) -> None:
    with nights.house.open() as warehouse:
        found = warehouse.reuse(nights.revisions[1], nights.sink)
    assert (found.decision, found.by, found.of) == ("reuse", "key", nights.revisions[1])


def test_without_the_two_executions_the_causes_are_not_known(nights: Nights) -> None:
    with nights.house.open() as warehouse:
        found = warehouse.diff_revisions("again@r2", nights.revisions[1], nights.sink, records=True)
    assert found.results
    assert {each.cause for each in found.results.causes} == {""}
    assert "Causes are not known" in found.results.notes[0]
