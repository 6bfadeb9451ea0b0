"""The programs and commands of the pages on capture, RDDs and tracing, as typed.

Programs, and commands that start Spark, run in processes of their own, since the Spark of the tests
would read and write their relative paths in another folder.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent

import pytest

from helpers.pages import blocks, run_program, shell
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
RICH = """
orders = write(
    "orders", "id int, customer string, product string, price int",
    (1, "ann", "tea", 5), (2, "ann", "gold", 2000000), (3, "bob", "tea", 9), (4, "ann", "tea", -2),
)
"""
LOG = """
log = write(
    "log", "line string", ("ERROR 40 NETWORK down",), ("ok",), ("ERROR 7 disk full",),
    ("ERROR 40 DISK slow",), ("warning NETWORK slow",), ("ERROR 3 user Guest",),
)
report = log.where("line LIKE 'ERROR%'").selectExpr("split(line, ' ')[1] AS code")
report = report.groupBy("code").count()
with provhouse.capture(spark, "warehouse") as run:
    report.write.parquet("codes")
"""
CSV = """
from pathlib import Path

for name in ("orders", "log", "codes"):
    shutil.rmtree(name)
Path("orders").mkdir()
Path("orders/part.csv").write_text("1,ann,5\\n2,bob,6\\n3,ann,7\\n")
"""
LINES = """
from operator import add

Path("log").mkdir()
Path("log/part").write_text("ERROR 17 disk\\nINFO\\nERROR 23 late\\nERROR 17 user Guest\\n")
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


@pytest.mark.long
def test_the_commands_of_the_page_of_capture(page_folder: Path) -> None:
    """A job of Python and one of SQL, without a change, in shells as a user types them."""
    python, sql = blocks("capture.md", "sh")
    found = shell(python)
    assert {*re.findall(r"orders/\d", found)} == {"orders/1", "orders/3"}
    answer = shell(sql)[-500:]
    assert {*re.findall(r"orders/\d", answer)} == {"orders/2"}


@pytest.mark.long
def test_the_page_of_rdds(page_folder: Path) -> None:
    """The question at its end has the answer of the page, to the letter."""
    (program,), (keys,), (console,) = (
        blocks("rdds.md", mark) for mark in ("sh", "python", "console")
    )
    shell(program)
    asked = re.split(r"^\$ (.+)\n", console, flags=re.MULTILINE)[1:]
    for command, answer in zip(asked[::2], asked[1::2], strict=True):
        assert shell(command) == answer
    codes = Path("codes.py").read_text(encoding="utf-8")
    start, _, rest = codes.partition("with provhouse")
    body = rest.partition("\n")[2].replace('"codes"', '"keyed/codes"')
    run_program([start, keys.replace("    ...\n", body)], page_folder)
    assert "log/" in shell("provhouse lineage codes/17 --format csv")


@pytest.mark.long
def test_the_page_of_tracing(page_folder: Path) -> None:
    """The blocks run as one program, between the tables and blocks that the page leaves out."""
    first, products, titian, csv, lines, replay, program, smallest, _ = blocks(
        "tracing.md", "python"
    )
    shown = run_program(
        [
            *(START, RICH, first, products, smallest, "shutil.copytree('orders', 'kept')"),
            *(LOG, titian, "codes = report", replay),
            *(CSV, csv, LINES, program, lines, "spark.stop()"),
        ],
        page_folder,
    )
    assert "2000000" in shown
    assert "NETWORK down" in shown
    assert "ERROR 17 user Guest" in shown
