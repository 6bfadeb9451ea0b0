"""Rewritten queries, by which verdicts are judged, give the same rows as the original queries."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from helpers.rewritten.pairs import PAIRS, RULES, Pair, tpcds_pairs, tpch_pairs
from helpers.rewritten.rules import SPELLING, STRUCTURE
from helpers.rewritten.schema import Schema, stored
from helpers.tpch import write_tpch

Result = tuple[list[tuple[Any, ...]], Counter[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.001)
    with loaded(stored("tpch"), folder) as con:
        yield con


def loaded(schema: Schema, folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the tables of a folder, which have the constraints of the schema."""
    con = duckdb.connect(config={"threads": 1})
    con.execute(schema.ddl)
    for table in schema.columns:
        con.execute(f"insert into {table} from '{folder}/{table}/*.parquet'")
    return con


def result(con: duckdb.DuckDBPyConnection, text: str) -> Result:
    """Return the names and types of a result's columns, and its rows as a multiset."""
    done = con.execute(text)
    assert done.description is not None
    return [each[:2] for each in done.description], Counter(map(_rounded, done.fetchall()))


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(f"{each:.9g}" if isinstance(each, float) else repr(each) for each in row)


def check(con: duckdb.DuckDBPyConnection, pair: Pair) -> int:
    """Check that both queries of a pair have the same result, and return its number of rows."""
    one = result(con, pair.one)
    assert result(con, pair.other) == one, (pair.name, pair.rules)
    return sum(one[1].values())


def test_each_query_of_tpch_is_rewritten_to_an_equal_one(tpch: duckdb.DuckDBPyConnection) -> None:
    pairs = list(tpch_pairs(22))
    assert sum(check(tpch, pair) > 0 for pair in pairs) >= 19
    assert all(len(set(pair.rules)) >= RULES for pair in pairs)


@pytest.mark.long
def test_all_pairs_of_tpch_are_equal(tpch: duckdb.DuckDBPyConnection) -> None:
    pairs = list(tpch_pairs())
    assert len({pair.other for pair in pairs}) == PAIRS
    for pair in pairs:
        check(tpch, pair)
    used = {rule for pair in pairs for rule in pair.rules}
    assert len(used) >= 20


@pytest.mark.long
def test_all_pairs_of_tpcds_are_equal(request: pytest.FixtureRequest) -> None:
    sys.path.append(str(request.config.rootpath / "tools"))
    import tpcds_data

    used = set[str]()
    with loaded(stored("tpcds"), tpcds_data.tables("0.01")) as con:
        for pair in tpcds_pairs(tpcds_data.queries()):
            check(con, pair)
            used.update(pair.rules)
    assert used <= {rule.__name__ for rule in (*STRUCTURE, *SPELLING)}
