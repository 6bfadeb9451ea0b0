"""The queries of TPC-DS, adapted from Spark's dialect. Only ``make test-long`` runs them.

A query without rows is skipped, and its lineage stays untested.
"""

import sys
from pathlib import Path

import duckdb
import pytest
import sqlglot

from helpers.interactive_oracle import check
from provhouse.interactive import Connection, connect

sys.path.append(str(Path(__file__).parent.parent.parent / "tools"))
import tpcds_data as tpcds

pytestmark = pytest.mark.long
NAMES = [f"q{number}{part}" for number in range(1, 100) for part in ("", "a", "b")]


@pytest.fixture(scope="module")
def shop() -> Connection:
    """The TPC-DS tables at scale factor 0.01."""
    con = duckdb.connect()
    for folder in tpcds.tables("0.01").iterdir():
        con.execute(f"create table {folder.name} as from '{folder}/*.parquet'")
    return connect(con)


@pytest.mark.parametrize("name", NAMES)
def test_rows_come_back_from_their_witnesses(shop: Connection, name: str) -> None:
    file = tpcds.queries() / f"{name}.sql"
    if not file.exists():
        pytest.skip("there is no query of this name")
    (sql,) = sqlglot.transpile(file.read_text("utf-8"), read="spark", write="duckdb")
    checked = check(shop, sql, most=3)
    if not checked.rows:
        pytest.skip("untested: the query has no rows")
    assert checked.wrong == []
