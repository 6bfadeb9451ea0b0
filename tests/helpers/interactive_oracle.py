"""Check lineage by rerunning queries on only the witnesses, and without the witnesses."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from provhouse.interactive.duckdb_session import Connection
from provhouse.interactive.planning.want import Mode
from provhouse.interactive.result import Result
from provhouse.model.errors import UsageError
from provhouse.sql.node_marks import REF
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.parse import Parsed, parse

Row = tuple[Any, ...]


@dataclass
class Checked:
    """The numbers of checks of one query, by outcome."""

    rows: int = 0
    sufficient: int = 0
    removed: int = 0
    necessary: int = 0
    wrong: list[str] = field(default_factory=list)


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows in a comparable form, in which floating-point values are rounded."""
    columns = [[_rounded(value) for value in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return "nan" if value != value else float(f"{value:.8g}")
    return str(value) if isinstance(value, (list, dict)) else value


def check(con: Connection, sql: str, mode: Mode | None = None, most: int = 8) -> Checked:
    """Compare a result with DuckDB's, and check the lineage of up to ``most`` of its rows.

    The lineage is sufficient if the query gives the row again when each reference is cut to its
    witnesses. A negative reference has no witnesses. Such a reference is left uncut if other
    combinations of witnesses, or the absence of rows, require it. The lineage is necessary if the
    query gives the row less often when the witnesses of any one reference are left out. This need
    not hold for alternatives.
    """
    result = con.sql(sql, lineage=True, mode=mode)
    plain = con.duckdb.sql(sql).to_arrow_table()
    assert result.to_arrow().schema == plain.schema, sql
    rows = rows_of(result.to_arrow())
    assert sorted(map(str, rows)) == sorted(map(str, rows_of(plain))), sql
    parsed = parse(con.duckdb, sql, con.catalog())
    step = max(1, len(rows) // most)
    checked = Checked()
    for row in range(0, len(rows), step):
        _check_row(con, parsed, result, row, rows, checked)
    return checked


def _check_row(
    con: Connection, parsed: Parsed, result: Result, row: int, rows: list[Row], checked: Checked
) -> None:
    witnesses = [result.backward(name, [row]).rids for name in result.references]
    for at, rids in enumerate(witnesses):
        con.duckdb.register(f"__cut{at}", pa.table({"rid": rids}))
    checked.rows += 1
    every = set(range(len(witnesses)))
    negative = {result.references.index(name) for name in result.negative}
    negative |= {ref for ref in negated(parsed) if not witnesses[ref].size}
    if any(
        rows[row] in rows_of(cut(con, parsed, "in", each)) for each in (every, every - negative)
    ):
        checked.sufficient += 1
    else:
        checked.wrong.append(f"row {row} does not come back")
    for at, rids in enumerate(witnesses):
        if rids.size:
            checked.removed += 1
            left = rows_of(cut(con, parsed, "not in", {at}))
            if left.count(rows[row]) < rows.count(rows[row]):
                checked.necessary += 1


def negated(parsed: Parsed) -> set[int]:
    """Return all references below NOT or ALL, whether or not provhouse treats them as negative."""
    return {
        REF.of(table)
        for table in parsed.query.find_all(exp.Table)
        if REF.on(table) and table.find_ancestor(exp.Not, exp.All)
    }


def cut(con: Connection, parsed: Parsed, operator: str, refs: set[int]) -> pa.Table:
    """Run a query in which the references ``refs`` have only the rows whose rids pass a test.

    ``operator`` is ``in`` or ``not in``: a rid passes if it is, or is not, in the table of the
    reference's cut.
    """
    query = parsed.query.copy()
    for table in list(query.find_all(exp.Table)):
        if (ref := REF.get(table)) in refs:
            text = f"rowid {operator} (select rid from __cut{ref})"
            name = exp.Table(
                this=table.this, db=table.args.get("db"), catalog=table.args.get("catalog")
            )
            inner = exp.select("*").from_(name).where(text, dialect="duckdb")
            alias = exp.TableAlias(this=exp.to_identifier(table.alias, quoted=True))
            table.replace(exp.Subquery(this=inner, alias=alias, joins=table.args.get("joins")))
    return con.duckdb.sql(query.sql("duckdb")).to_arrow_table()


def same(con: Connection, sql: str, modes: tuple[Mode, ...], most: int = 1000) -> None:
    """Check that all modes give the same lineage, and that forward is the inverse of backward.

    Equal rows are compared together, for up to ``most`` different rows. A mode that is not possible
    for the query is left out.
    """
    results = []
    for mode in modes:
        try:
            results.append(con.sql(sql, lineage=True, mode=mode))
        except NotCovered:
            raise
        except UsageError:
            assert mode == "inject", sql
    texts = [list(map(str, rows_of(each.to_arrow()))) for each in results]
    values = sorted(set(texts[0]))
    chosen = set(values[:: max(1, len(values) // most)])
    for name in results[0].references:
        found = [
            sorted(
                (text, each.backward(name, [row]).rids.tolist())
                for row, text in enumerate(rows)
                if text in chosen
            )
            for each, rows in zip(results, texts, strict=True)
        ]
        assert all(one == found[0] for one in found), (sql, name)
        for each in results[1:]:
            _inverse(each, name)


def _inverse(result: Result, name: str) -> None:
    pairs = {
        (row, int(rid)) for row in range(len(result)) for rid in result.backward(name, [row]).rids
    }
    rids = np.unique(np.array([rid for _, rid in pairs], np.int64))
    assert result.backward(name).rids.tolist() == rids.tolist(), name
    for rid in rids[:: max(1, rids.size // 5)].tolist():
        forward = set(result.forward(name, [rid]).tolist())
        assert forward == {row for row, each in pairs if each == rid}, (name, rid)
