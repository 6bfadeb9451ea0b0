"""The 22 queries of TPC-H: results equal DuckDB's, and a row's lineage suffices to reproduce it."""

from pathlib import Path

import duckdb
import pytest

from helpers.interactive_oracle import check
from helpers.tpch import write_tpch
from provhouse.interactive import Connection, connect

QUERIES = Path(__file__).parent.parent / "capturing" / "tpch"
NAMES = sorted(path.stem for path in QUERIES.glob("*.sql"))
DAILY = ("q02", "q04", "q16", "q21", "q22")
"""The queries that differ most in their operators. ``make test-long`` runs all queries."""


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    """A database with the tables of TPC-H."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.002)
    con = duckdb.connect()
    for path in folder.iterdir():
        con.execute(f"create table {path.name} as from '{path}/*.parquet'")
    return connect(con)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in DAILY else pytest.mark.long) for name in NAMES]
)
def test_a_query_has_its_rows_again_from_their_witnesses(tpch: Connection, name: str) -> None:
    checked = check(tpch, (QUERIES / f"{name}.sql").read_text(encoding="utf-8"), most=1)
    assert checked.wrong == []
    assert checked.necessary == checked.removed
