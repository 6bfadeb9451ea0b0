"""Random databases keep their tables' constraints, and show that different queries differ."""

import duckdb
import pytest

from helpers.falsify import DATABASES, WITH_ROWS, RandomContents, tried
from helpers.rewritten.schema import schema_of, stored
from helpers.sampled import one_in

SCHEMA = schema_of("""
    create table p(k integer primary key, x integer);
    create table c(k integer not null references p (k), y varchar, z date);""")
JOINED = "select p.x, c.y from p join c on p.k = c.k where p.x > 700 and c.z < date '2024-05-01'"


@pytest.mark.parametrize("name", one_in(2, ["tpch", "tpcds"]))
def test_random_rows_keep_keys_and_foreign_keys(name: str) -> None:
    schema = stored(name)
    contents = RandomContents(schema, tuple(f"select 1 as x from {t}" for t in schema.columns))
    count = nulls = 0
    with contents.con, duckdb.connect() as con:
        for _ in range(5):
            con.execute("drop schema if exists d cascade; create schema d; use d")
            con.execute(schema.ddl)
            contents.fill()
            for table in schema.columns:
                rows = contents.con.execute(f"from {table}").fetchall()
                count, nulls = count + len(rows), nulls + sum(None in row for row in rows)
                if rows:
                    marks = ", ".join("?" * len(rows[0]))
                    con.executemany(f"insert into {table} values ({marks})", rows)
            con.execute("use main")
    assert count > 50
    assert (nulls > 0) == (name == "tpcds")


@pytest.mark.long
def test_equal_queries_are_executed_until_enough_databases_gave_rows() -> None:
    found = tried(SCHEMA, JOINED, JOINED.replace("p join c", "c join p"))
    assert not found.difference + found.error
    assert found.databases >= DATABASES
    assert found.with_rows >= WITH_ROWS


@pytest.mark.parametrize(
    ("old", "new"),
    [("> 700", ">= 700"), ("2024-05-01", "2024-05-02"), ("p join", "p left join"),
     ("p.x,", "p.k as x,"), ("where", "where c.y is not null and")],
)  # fmt: skip
def test_a_small_edit_is_refuted_with_rows(old: str, new: str) -> None:
    edited = JOINED.replace(old, new)
    if "left" in new:
        edited = edited.replace("where p.x > 700 and c.z", "and p.x > 700 where c.z is null or c.z")
    assert tried(SCHEMA, JOINED, edited).difference


def test_a_text_that_does_not_run_has_the_message() -> None:
    assert "missing" in tried(SCHEMA, JOINED, "select missing from p").error
