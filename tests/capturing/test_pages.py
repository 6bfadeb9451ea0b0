"""The programs of the page on capture, as typed.

Python programs run on a Spark of their own, since the Spark of the tests would read and write their
relative paths in another folder.
"""

from collections.abc import Iterable
from pathlib import Path
from textwrap import indent

import pytest

from helpers.pages import blocks, run_program
from provhouse.cli.app import run

START = """
import shutil

import provhouse
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", False)
    .config("spark.sql.shuffle.partitions", 2)
    .getOrCreate()
)


def write(name, columns, *rows):
    spark.createDataFrame(rows, columns).coalesce(1).write.parquet(name)
    return spark.read.parquet(name)
"""
"""The parts that pages leave out: the session, and tables in the current folder."""
SHOP = """
orders = write(
    "orders", "o_orderkey int, line string, price int",
    (1, "AA", 5), (2, "AA", 7), (3, "BB", 9), (4, "BB", -2),
)
report = orders.groupBy("line").sum("price")
"""
DELAYS = """
keys = {"orders": "o_orderkey", "delays": "line"}
delays = orders.groupBy("line").avg("price")
"""
BATCHES = """
shutil.rmtree("orders")
write("orders", "id long, customer string", (7, "ann"), (8, "bob"), (9, "ann"))
"""


def within(block: str, *parts: str) -> str:
    """Return parts of a program, indented below a ``with`` statement."""
    return f"with {block}:\n" + "".join(indent(part, "    ") for part in parts)


def lineage(items: Iterable[str], capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the lineage of items, without the versions of rows."""
    found: set[str] = set()
    for item in items:
        assert run(["lineage", item, "--format", "csv"]) == 0
        lines = capsys.readouterr().out.splitlines()[1:]
        found |= {line.partition(",")[0].partition("@")[0] for line in lines}
    return found


@pytest.mark.long
def test_the_programs_of_the_page_of_capture(
    page_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, named, marked, doubled, paid, stream = blocks("capture.md", "python")
    keys = '{"orders": "o_orderkey", "doubled": "o_orderkey", "paid": "o_orderkey"}'
    run_program(
        [
            *(START, SHOP, first, DELAYS, named, 'shutil.rmtree("out/report")', marked),
            within(
                f'provhouse.capture(spark, "warehouse", keys={keys}) as run',
                doubled,
                paid.rstrip() + '.write.parquet("out/paid")\n',
            ),
            *(BATCHES, stream),
            "spark.stop()",
        ],
        page_folder,
    )
    assert lineage(["report/AA@1"], capsys) == {"orders/1", "orders/2"}
    assert lineage(["delays/BB"], capsys) == {"orders/3", "orders/4"}
    assert lineage(["report/BB"], capsys) == {"cleaned/3", "orders/3"}
    assert lineage(["doubled/3"], capsys) == lineage(["paid/3"], capsys) == {"orders/3"}
    assert lineage(["totals/ann"], capsys) == {"orders/7", "orders/9"}
    assert run(["list", "ops", "--format", "csv"]) == 0
    assert "average departure delay" in capsys.readouterr().out
