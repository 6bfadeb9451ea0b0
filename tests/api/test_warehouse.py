"""A warehouse opened from Python ingests files, answers, and sees commits of other processes."""

from collections.abc import Callable
from pathlib import Path

import pytest

import provhouse
from helpers.warehouse import House

TRACE = """src,dst,op,src_table,dst_table,by
o/17,i/9,bill,orders,invoices,nightly
o/18,i/9,bill,orders,invoices,shop
i/9,r/3,sum up,invoices,revenue,nightly
"""


@pytest.fixture
def opened(houses: Callable[..., House], tmp_path: Path) -> provhouse.Warehouse:
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE)
    house = houses()
    warehouse = provhouse.open(
        house.settings.warehouse, neo4j_home=house.settings.neo4j_home, master="local[2]"
    )
    warehouse.ingest(trace)
    return warehouse


def items(answer: provhouse.Answer) -> list[str]:
    return [str(name) for name in answer.items["item"].to_pylist()]


def test_lineage_impact_and_filters(opened: provhouse.Warehouse) -> None:
    with opened as warehouse:
        assert items(warehouse.lineage("r/3")) == ["i/9", "o/17", "o/18"]
        assert items(warehouse.lineage("r/3", depth=1)) == ["i/9"]
        assert items(warehouse.lineage("r/3", tables=["orders"], limit=1)) == ["o/17"]
        assert items(warehouse.lineage("r/3", where={"by": "shop"})) == ["i/9", "o/18"]
        assert items(warehouse.impact("o/17", ends=True)) == ["r/3"]
        with pytest.raises(provhouse.NotFound):
            warehouse.lineage("nothing")


@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        ({"table": ["orders"]}, "There is no filter 'table'\n.*through, tables, ops"),
        ({"tables": "orders"}, "The filter 'tables' is not a list"),
        ({"ops": 1}, "The filter 'ops' is not a list"),
    ],
)
def test_unusable_filters_are_reported(
    tmp_path: Path, filters: dict[str, object], problem: str
) -> None:
    with provhouse.open(tmp_path) as warehouse, pytest.raises(provhouse.UsageError, match=problem):
        warehouse.lineage("r/3", **filters)


def test_answers_follow_a_generation_that_was_committed_meanwhile(
    opened: provhouse.Warehouse, tmp_path: Path
) -> None:
    more = tmp_path / "more.csv"
    more.write_text("src,dst\np/1,o/17\n")
    with opened as warehouse:
        assert items(warehouse.lineage("o/17")) == []
        summary = warehouse.ingest(more)
        assert (summary.generation, summary.new_triples) == (2, 1)
        assert items(warehouse.lineage("o/17")) == ["p/1"]
        assert items(warehouse.lineage("o/17", as_of=1)) == []
