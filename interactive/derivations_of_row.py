"""The why-provenance and how-provenance of one row: the combinations of records that produce it."""

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa

from provhouse.model.errors import UsageError
from provhouse.sql.parse import parse
from provhouse.sql.quoting import quoted

from .planning.apart import readable, unreadable, with_eids
from .planning.derivation_query import Deriver, QueryWithRids
from .polynomial import Derivation, RecordTerm

if TYPE_CHECKING:
    from .result import Result

ASKED = "__provhouse_row"
MOST = 100_000
"""The maximum number of derivations that are returned."""


def derivations(result: "Result", row: int, how: bool) -> Counter[Derivation]:
    """Return the derivations of a row, and how often each occurs.

    Raises NotCovered for queries whose derivations are not combinations of records, and UsageError
    if the row has more than ``MOST`` derivations.
    """
    con = result.connection
    parsed = parse(con.duckdb, result.query, con.catalog())
    derived = Deriver(parsed, how).outermost()
    tables = [reference.table.name for reference in parsed.references]
    asked = result.identifying(row)
    if asked is None:  # compiled loops: one table, without joins
        ((reference, table),) = zip(result.references, tables, strict=True)
        rids = result.backward(reference, [row]).rids
        check(rids.size)
        return Counter((RecordTerm(table, rid),) for rid in rids.tolist())
    readable(con.duckdb, ASKED, with_eids(asked, asked.column_names, pa.array([0])))
    try:
        found = con.duckdb.sql(_text(derived, asked.num_columns)).to_arrow_table()
    finally:
        unreadable(con.duckdb, ASKED)
    check(found.num_rows)
    columns = [column.to_pylist() for column in found.columns[1:]]
    if not columns:  # the query reads no table
        return Counter({(): found.num_rows})
    named = [tables[ref] for ref in derived.refs]
    return Counter(_joined(named, rids) for rids in zip(*columns, strict=True))


def _joined(tables: list[str], rids: tuple[int | None, ...]) -> Derivation:
    pairs = zip(tables, rids, strict=True)
    return tuple(sorted(RecordTerm(table, rid) for table, rid in pairs if rid is not None))


def _text(derived: QueryWithRids, asked: int) -> str:
    """Return the query for the derivations of the row in question."""
    visible = [f"x{at}" for at in range(len(derived.names))]
    rids = [f"w{at}" for at in range(len(derived.refs))]
    same = [f"d.x{at} is not distinct from e.c{at}" for at in range(asked)]
    named = ", ".join(map(quoted, [*visible, *rids]))
    listed = ", ".join(["1", *(f"d.{each}" for each in rids)])
    return (
        f"select {listed} from ({derived.query.sql('duckdb')}) as d({named}), {ASKED} e "
        f"where {' and '.join(same) or 'true'} limit {MOST + 1}"
    )


def check(number: int) -> None:
    """Raise UsageError if a row has too many derivations."""
    if number > MOST:
        raise UsageError(
            f"The row has more than {MOST:,} derivations",
            "The answer would list each combination of records",
            "Call backward() to get its records instead",
        )


def one_row(table: pa.Table, columns: list[int], row: int) -> pa.Table:
    """Return the given columns of one row, renamed ``c0``, ``c1``, ...."""
    chosen = table.take(pa.array([row])).select(columns)
    fields = [chosen.schema.field(at).with_name(f"c{at}") for at in range(len(columns))]
    return pa.Table.from_arrays(chosen.columns, schema=pa.schema(fields))
