"""Rows that are compared in Arrow are matched like those that DuckDB compares."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from provhouse.interactive.dbt.child_process import DbtRun
from provhouse.interactive.dbt.opened_database import NOW, OpenedDatabase
from provhouse.interactive.dbt.rows_compared import same_in_arrow, same_rows
from provhouse.sql.catalog import TablePlace
from provhouse.workflows.dbt.project import DbtProject
from provhouse.workflows.dbt.project_macros import Macros

BUILT = TablePlace("shop", "main", "built")
VALUES: dict[str, tuple[Any, ...]] = {
    "n integer": (1, 2, 3),
    "big hugeint": (1, 2**125, -(2**125)),
    "name varchar": ("", "a", "A", "é"),
    "price decimal(9, 2)": (Decimal("1.50"), Decimal(-1)),
    "day date": (date(2026, 1, 1), date(1, 1, 1)),
    "yes boolean": (True, False),
    "part double": (0.1, 0.5),
    "kind enum('a', 'b')": ("a", "b"),
}


@pytest.fixture(params=[len(VALUES), len(VALUES) - 1])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenedDatabase]:
    """Return a database with a table of random rows, with NULLs and duplicates."""
    random, columns = Random(3), [*VALUES][: request.param]
    with duckdb.connect(tmp_path / "shop.duckdb") as con:
        con.execute(f"create table built({', '.join(columns)})")
        rows = [[random.choice([None, *VALUES[each]]) for each in columns] for _ in range(40)]
        rows += [[None] * len(columns)] * 20
        places = ", ".join([f"({', '.join('?' * len(columns))})"] * len(rows))
        con.execute(f"insert into built values {places}", [each for row in rows for each in row])
    run = DbtRun(0, tmp_path, "shop", tmp_path / "shop.duckdb", None, {}, (), (), "run")
    found = OpenedDatabase(run, DbtProject({}, (), {}, (), Macros({}), None, False, None))
    yield found
    found.close()


@pytest.mark.parametrize("order", ["rowid", "hash(n, name, part)", "rowid desc"])
def test_arrow_matches_each_row_with_an_equal_one(opened: OpenedDatabase, order: str) -> None:
    opened.duckdb.execute(f"create table {NOW} as from {BUILT.sql()} order by {order}")
    now, built = (opened.arrow(f"from {table}") for table in (NOW, BUILT.sql()))
    at = same_in_arrow(opened, BUILT, now)
    expected = same_rows(opened, BUILT, [NOW])
    assert expected is not None
    if at is None:  # Arrow does not sort an ENUM
        assert "kind" in built.column_names
        return
    assert at.tolist() == expected.tolist()
    assert now.take(at).equals(built)


@pytest.mark.parametrize(
    "change",
    [
        "set n = coalesce(n, 0) + 9 where rowid = 3",
        "set name = 'a ' where rowid = 7",
        "set big = big - 1",
        "set day = date '1999-01-01'",
        "set part = coalesce(part, 0) + 1e-3",
    ],
)
def test_other_rows_are_not_equal(opened: OpenedDatabase, change: str) -> None:
    opened.duckdb.execute(f"create table {NOW} as from {BUILT.sql()} order by rowid desc")
    opened.duckdb.execute(f"update {NOW} {change}")
    assert same_in_arrow(opened, BUILT, opened.arrow(f"from {NOW}")) is None
    assert same_rows(opened, BUILT, [NOW]) is None
    opened.duckdb.execute(f"delete from {NOW} where rowid = 0")
    assert same_in_arrow(opened, BUILT, opened.arrow(f"from {NOW}")) is None
