"""A warehouse opened from Python ingests, answers, and sees the commits of other processes."""

import typing
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.warehouse import House
from provhouse.filters import Filters
from provhouse.model.question import OPTIONAL
from provhouse.store.tables.snapshot import Snapshot

COLUMNS = ("src", "dst", "op", "src_table", "dst_table")
ROWS = [
    ("o/17", "i/9", "bill", "orders", "invoices"),
    ("o/18", "i/9", "bill", "orders", "invoices"),
    ("i/9", "r/3", "sum up", "invoices", "revenue"),
]


def frame() -> pd.DataFrame:
    """Return the rows as a data frame whose index is not part of the data."""
    return pd.DataFrame(ROWS, columns=list(COLUMNS), index=[7, 14, 21])


def items(answer: provhouse.Answer) -> list[str]:
    return [item.item for item in answer.items]


def test_lineage_impact_and_filters(warehouse: provhouse.Warehouse) -> None:
    with warehouse:
        assert items(warehouse.lineage("invoices/9", depth=1)) == ["orders/17", "orders/18"]
        assert items(warehouse.lineage("invoices/9", tables=["orders"], limit=1)) == ["orders/17"]
        shop = warehouse.lineage("invoices/9", where={"by": "shop"})
        assert items(shop) == ["orders/17", "orders/18", "prices/milk", "prices/tea"]
        assert items(warehouse.impact("prices/milk", ends=True)) == ["revenue/2026-03"]
        assert items(warehouse.lineage("invoices/9", as_of=1, depth=1, ops=["bill"])) == [
            "orders/17", "orders/18",
        ]  # fmt: skip
        counts = warehouse.lineage("revenue/2026-03", summary=True).counts
        assert counts
        assert counts.tables[0] == ("invoices", 2, 1, 1)
        assert [tuple(row) for row in counts.ops] == [("bill", 2), ("price", 2), ("sum up", 2)]
        with pytest.raises(provhouse.NotFound):
            warehouse.lineage("nothing")


def test_filters_are_the_fields_of_a_question() -> None:
    assert typing.get_type_hints(Filters).keys() == OPTIONAL.keys()


@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        ({"table": ["orders"]}, "There is no filter 'table'\n.*through, tables, ops"),
        ({"tables": "orders"}, "The filter 'tables' is not a list"),
        ({"ops": 1}, "The filter 'ops' is not a list"),
        ({"depth": 0}, "The filter 'depth' is not a whole number of at least 1"),
        ({"limit": "2"}, "The filter 'limit' is not a whole number of at least 1"),
    ],
)
def test_unusable_filters_are_reported(
    tmp_path: Path, filters: dict[str, typing.Any], problem: str
) -> None:
    with provhouse.open(tmp_path) as warehouse, pytest.raises(provhouse.UsageError, match=problem):
        warehouse.lineage("r/3", **filters)


@pytest.mark.long
def test_answers_follow_a_generation_that_was_committed_meanwhile(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    more = tmp_path / "more.csv"
    more.write_text("src,dst\np/1,o/17\n")
    with house.open() as warehouse:
        warehouse.ingest(pa.Table.from_pandas(frame(), preserve_index=False))
        assert items(warehouse.lineage("o/17")) == []
        summary = warehouse.ingest(more)
        assert (summary.generation, summary.new_triples) == (2, 1)
        assert items(warehouse.lineage("o/17")) == ["p/1"]
        assert items(warehouse.lineage("o/17", as_of=1)) == []
        changed = warehouse.diff("o/17", since=1)
        assert [item.item for item in changed.came.items] == ["p/1"]
        assert [tuple(triple)[:2] for triple in changed.came.triples] == [("p/1", "o/17")]
        assert warehouse.retract(file=more).ended == 1
        assert items(warehouse.lineage("o/17")) == []
        assert [one.change for one in warehouse.generations()] == ["ingest", "ingest", "retract"]
    house.check()


@pytest.mark.long
def test_data_frames_of_all_kinds_are_ingested(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    polars = pytest.importorskip("polars")
    columns = {name: name.upper() for name in COLUMNS}
    renamed = frame().rename(columns=columns)
    spark.createDataFrame(frame()).write.parquet(str(tmp_path / "stored"))
    inputs = [
        frame(),
        pa.Table.from_pandas(frame(), preserve_index=False).to_reader(),
        polars.DataFrame(frame().reset_index(drop=True)),
        spark.read.parquet(str(tmp_path / "stored")),
    ]
    house = houses()
    with house.open() as warehouse:
        first = warehouse.ingest(renamed, columns=columns)
        assert (first.new_triples, first.new_items, first.rejected) == (3, 4, 0)
        for each in inputs:
            again = warehouse.ingest(each)
            assert (again.new_triples, again.duplicates, again.rejected) == (0, 3, 0), type(each)
        stored = Snapshot(house.layout, house.commit)
        assert stored.rows("origins")["file"].unique().to_pylist() == ["arrow", "Spark DataFrame"]
        assert stored.rows("ingests")["files"].to_pylist()[-1] == ["Spark DataFrame"]
        assert warehouse.lineage("r/3").triples[0].attributes == {}  # no index became an attribute
    house.check()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ((), "It is not clear what to ingest\nNothing is given"),
        ((frame(), "x.csv"), "It is not clear what to ingest\nA data frame and other data"),
        (("",), "A path is empty"),
        (("s3a://bucket/x.csv",), "Cannot use s3a://bucket/x.csv"),
        (([1, 2],), "This object cannot be ingested\nIt is of type list"),
    ],
)
def test_unusable_data_is_reported(
    tmp_path: Path, data: tuple[typing.Any, ...], problem: str
) -> None:
    with provhouse.open(tmp_path) as warehouse, pytest.raises(provhouse.UsageError, match=problem):
        warehouse.ingest(*data)


def test_a_retraction_names_one_thing(tmp_path: Path) -> None:
    with provhouse.open(tmp_path) as warehouse:
        for arguments in ({}, {"run": "a", "file": "b"}):
            with pytest.raises(provhouse.UsageError, match="Give exactly one"):
                warehouse.retract(**arguments)
        with pytest.raises(provhouse.UsageError, match="The name of the run is empty"):
            warehouse.retract(run="")


@pytest.mark.long
def test_an_empty_warehouse_has_nothing_to_ask(tmp_path: Path) -> None:
    with provhouse.open(tmp_path) as warehouse:
        for ask in (
            lambda: warehouse.lineage("a"),
            lambda: warehouse.generations(),
            lambda: warehouse.cypher("RETURN 1"),
        ):
            with pytest.raises(provhouse.NotFound, match="is empty"):
                ask()
