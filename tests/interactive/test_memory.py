"""Indexes that exceed the memory budget are moved to files. Temporary plan tables are dropped."""

from pathlib import Path

import duckdb
import pytest

from provhouse.interactive import Connection, Want, connect
from provhouse.interactive import plan_cache as module

TEXT = "select k, sum(v) s from f group by k order by k"


def filled(memory_mb: int) -> Connection:
    """A connection with a table of 300,000 rows. One index of the table exceeds a megabyte."""
    con = connect(duckdb.connect(), memory_mb=memory_mb)
    con.execute("create table f as select range % 5 as k, range as v from range(300000)")
    return con


@pytest.mark.long
def test_indexes_above_the_budget_are_kept_in_files() -> None:
    con = filled(memory_mb=2)
    want = Want(refs=("f",), directions=("backward", "forward"))
    results = [con.sql(TEXT, lineage=True, want=want, mode=mode) for mode in ("inject", "compiled")]
    plain = filled(memory_mb=100).sql(TEXT, lineage=True, want=want)
    assert con.memory.size <= 2 << 20 < plain.size
    for result in results:
        assert "are in files" in result.explain()
        assert result.size >= 300_000 * 4 > result.resident
        for row in range(5):
            rids = plain.backward("f", [row]).rids
            assert result.backward("f", [row]).rids.tolist() == rids.tolist()
            assert result.forward("f", rids[:7]).tolist() == [row]
    assert con.memory._folder is not None
    folder = Path(con.memory._folder.name)
    assert list(folder.iterdir())
    con.close()
    assert not folder.exists()


def test_tables_of_evicted_plans_are_dropped_when_no_result_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PLANS", 1)
    con = filled(memory_mb=2)
    kept = "select count(*) from duckdb_tables() where table_name like '%kept%'"
    limited = "select k, count(*) n from (select * from f order by v limit {}) q group by k"
    result = con.sql(limited.format(7), lineage=True)
    con.sql("select 1", lineage=True)
    assert len(result.backward("f")) == 7  # the result still has its table
    assert con.duckdb.sql(kept).fetchall() == [(1,)]
    del result
    con.sql("select 2", lineage=True)
    assert con.duckdb.sql(kept).fetchall() == [(0,)]
