"""The state between dbt runs: which names of rows have ended."""

from pathlib import Path

import duckdb
import pyarrow as pa

from provhouse.interactive.dbt.kept_tables import FILE, KeptTable, KeptTables


def add(kept: KeptTables, run: int, tables: dict[str, list[str]]) -> list[str]:
    """Store the names of some tables' rows after a run; return the names that have ended."""
    found = [KeptTable(node, run, (), len(names), f"{run}") for node, names in tables.items()]
    rows = [(node, pa.array(names, pa.string())) for node, names in tables.items()]
    kept.add(run, "build", Path("shop.duckdb"), found, rows)
    return sorted(kept.ended(run).to_pylist())


def test_names_end_when_their_table_is_built_without_them(tmp_path: Path) -> None:
    with KeptTables(tmp_path) as kept:
        assert add(kept, 1, {"a": ["a/1", "a/2", "a/x@7"], "b": ["b/1"]}) == []
        assert add(kept, 2, {"a": ["a/1", "a/3"]}) == ["a/2", "a/x@7"]  # b was not built
        assert add(kept, 3, {"a": [], "b": ["b/1", "a/1"]}) == ["a/3"]  # b has a/1 now
        assert add(kept, 4, {"a": ["a/2"]}) == []
        kept.landed(2)
        assert (len(kept.ended(2)), len(kept.ended(3))) == (0, 1)


def test_the_state_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / FILE) as con:
        con.execute("""
            create table tables(
                node varchar primary key, run integer, key varchar[], rows bigint, hash varchar);
            insert into tables values ('a', 4, ['id'], 2, 'h')""")
    with KeptTables(tmp_path) as kept:
        assert kept.table("a") == KeptTable("a", 4, ("id",), 2, "h", canonical=False)
        assert add(kept, 5, {"a": ["a/1"]}) == []
        found = kept.table("a")
        assert found is not None
        assert found.canonical
