"""Check lineage by running the user's own SQL with each use of a table cut to its records."""

import re

import pyarrow as pa

from provhouse.interactive import Connection
from provhouse.interactive.result import Result

from .interactive_oracle import rows_of

USED = re.compile(r"\{(\w+)\}")


def checked(con: Connection, template: str, sure: bool, most: int = 3) -> Result:
    """Return a query's result and check its lineage; tables are written ``{name}`` in the SQL.

    Fail unless the rows of the result equal DuckDB's, and up to ``most`` of them reappear when
    plain DuckDB runs the query on only their records. If ``sure``, each row must also disappear or
    change when its records of any single use are left out.
    """
    sql = USED.sub(r"\1", template)
    used = USED.findall(template)
    result = con.sql(sql, lineage=True)
    plain = con.duckdb.sql(sql).to_arrow_table()
    assert result.to_arrow().schema == plain.schema
    rows = rows_of(result.to_arrow())
    assert sorted(map(str, rows)) == sorted(map(str, rows_of(plain)))
    assert sorted(name.split("#")[0] for name in result.references) == sorted(used)
    for row in range(0, len(rows), max(1, len(rows) // most)):
        values = rows[row]
        rids = [result.backward(name, [row]).rids for name in _in_text(result, used)]
        for at, each in enumerate(rids):
            con.duckdb.register(f"__cut{at}", pa.table({"rid": each}))
        negative = {at for at, name in enumerate(_in_text(result, used)) if name in result.negative}
        every = set(range(len(used))) - negative
        assert values in _run(con, template, "in", every), (row, rids)
        for at, each in enumerate(rids):
            if sure and each.size:
                left = _run(con, template, "not in", {at})
                assert left.count(values) < rows.count(values), (row, used[at], each)
        for at, name in enumerate(_in_text(result, used)):
            assert all(row in result.forward(name, [rid]) for rid in rids[at][:2])
    return result


def _in_text(result: Result, used: list[str]) -> list[str]:
    """Return the names of the references, in the order of the SQL text."""
    names = []
    for at, table in enumerate(used):
        number = f"#{used[: at + 1].count(table)}" if used.count(table) > 1 else ""
        names.append(f"{table}{number}")
    assert set(names) == set(result.references)
    return names


def _run(con: Connection, template: str, operator: str, cut: set[int]) -> list[tuple[object, ...]]:
    places = iter(range(len(USED.findall(template))))

    def table(found: re.Match[str]) -> str:
        at = next(places)
        if at not in cut:
            return found[1]
        return f"(select * from {found[1]} where rowid {operator} (select rid from __cut{at}))"

    return rows_of(con.duckdb.sql(USED.sub(table, template)).to_arrow_table())
