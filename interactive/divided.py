"""The division of each row's records by the values of chosen columns, and each part's aggregates.

A later aggregate over a row's records, grouped by these columns, reads only stored values (Smoke,
section 4.2: group-by push-down). The records of each part are also stored, so that a row's records
can be selected by value (selection by attribute).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp

from provhouse.model.errors import UsageError
from provhouse.sql.quoting import quoted

from .distinct_rows import distinct_questions
from .index.rid_indexes import Link, Rows, distinct, from_pairs
from .planning.apart import is_carried
from .record_expressions import check_aggregate

if TYPE_CHECKING:
    from provhouse.sql.catalog import TablePlace

    from .session_state import Session

PARTS, PART = "__provhouse_parts", "__provhouse_part"
FEW = 1 << 22
"""If there are up to this many possible parts, parts are numbered by counting, not by sorting."""
ADDED: dict[type[exp.Expr], str] = {
    exp.Count: "sum", exp.Sum: "sum", exp.Min: "min", exp.Max: "max",
}  # fmt: skip
"""For each aggregate function, the function that merges its values from several parts."""


@dataclass
class Divided:
    """The parts of rows. The part of ``row`` for ``value`` is ``row * len(values) + value``."""

    values: pa.Table
    """The distinct combinations of the columns' values, one per row."""
    parts: NDArray[np.int64]
    """The numbers of the nonempty parts, in ascending order."""
    link: Link
    """The records of each part."""
    aggregates: pa.Table
    """The aggregates of each part."""
    texts: Sequence[str]
    apart: bool
    """Whether each record belongs to at most one row."""

    def records(self, rows: Rows, where: Mapping[str, Any]) -> Rows:
        """Return the rids of the records behind ``rows`` that have the values in ``where``.

        Raises UsageError for a column by which the lineage is not divided.
        """
        for name in where:
            if name not in self.values.column_names:
                raise UsageError(
                    f"The lineage is not divided by {name!r}",
                    f"It is divided by {', '.join(self.values.column_names)}",
                    "Declare it in Want(by=...), or query the records with sql()",
                )
        chosen = np.ones(len(self.values), np.bool_)
        for name, value in where.items():
            chosen &= [each == value for each in self.values.column(name).to_pylist()]
        at = self._of(rows)
        return distinct(self.link.backward(at[chosen[self.parts[at] % len(self.values)]]))

    def read(self, con: "Session", rows: Rows) -> pa.Table | None:
        """Return the aggregates of ``rows``, or None if they cannot be merged over several rows."""
        at = self._of(rows)
        named = self.values.take(pa.array(self.parts[at] % max(1, len(self.values))))
        for name in self.aggregates.column_names:
            named = named.append_column(name, self.aggregates.column(name).take(pa.array(at)))
        if rows.size == 1:
            return named
        functions = list(map(_merging, self.texts))
        if not self.apart or not all(functions):
            return None
        keys = ", ".join(map(quoted, self.values.column_names))
        kinds = con.duckdb.from_arrow(named).types[len(self.values.column_names) :]
        merged = ", ".join(
            f"{found}({quoted(name)})::{kind} as {quoted(name)}"
            for name, found, kind in zip(
                self.aggregates.column_names, functions, kinds, strict=True
            )
        )
        con.duckdb.register(PARTS, named)
        text = f"select {keys}, {merged} from {PARTS} group by {keys}"
        try:
            return con.duckdb.sql(text).to_arrow_table()
        finally:
            con.duckdb.unregister(PARTS)

    def _of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the positions in ``self.parts`` of all parts of ``rows``."""
        number = len(self.values)
        first = np.searchsorted(self.parts, rows.astype(np.int64) * number)
        end = np.searchsorted(self.parts, (rows.astype(np.int64) + 1) * number)
        return np.concatenate([np.empty(0, np.int64), *map(np.arange, first, end)])


def _merging(text: str) -> str | None:
    """Return the function that merges an aggregate's values from several parts, or None."""
    query: Any = sqlglot.parse_one(f"select {text}", dialect="duckdb")
    function = query.expressions[0].unalias()
    if function.expressions or isinstance(function.this, exp.Distinct):
        return None
    return ADDED.get(type(function))


def divide(
    con: "Session", place: "TablePlace", by: Sequence[str], aggregates: Sequence[str], link: Link
) -> Divided:
    """Divide the records of each row by the values of the columns ``by``.

    Raises UsageError if a column is missing or unsuitable, or if one of ``aggregates`` is not an
    aggregate.
    """
    columns = con.find(".".join(map(quoted, place)))[1]
    known = {name.lower(): name for name in columns}
    for name in by:
        if name.lower() not in known:
            raise UsageError(
                f"The table {place.name} has no column {name!r}",
                f"Its columns are: {', '.join(columns)}",
            )
    names = [known[name.lower()] for name in by]
    for name in names:
        if not is_carried(columns[name]):
            raise UsageError(
                f"Lineage cannot be divided by {name!r}",
                f"Its type is {columns[name]}",
                "Divide by numbers, dates or text, or query the records with sql()",
            )
    for text in aggregates:
        check_aggregate(con, place, text, f"The aggregate {text!r} of Want")
    listed = ", ".join(map(quoted, names))
    found = con.duckdb.sql(f"select {listed}, rowid from {place.sql()}").to_arrow_table()
    asked = distinct_questions(found.select(range(len(names))), len(found))
    codes = np.zeros(con.size(place), np.int64)
    codes[found.column(len(names)).to_numpy()] = asked.numbers
    offsets, rids = link.csr()
    cells = np.repeat(np.arange(link.rows), np.diff(offsets)) * asked.number + codes[rids]
    parts, keys = _numbered(cells, link.rows * asked.number)
    apart = distinct(np.sort(rids)).size == rids.size
    computed = _computed(con, place, aggregates, keys, rids, apart)
    divided = from_pairs(keys, rids, parts.size, link.number)
    return Divided(asked.table, parts, divided, computed, aggregates, apart)


def _numbered(cells: NDArray[np.int64], number: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct values in ``cells``, and for each element, its value's position there."""
    if number > FEW:
        return np.unique(cells, return_inverse=True)
    parts = np.flatnonzero(np.bincount(cells, minlength=number))
    positions = np.zeros(number, np.int32)
    positions[parts] = np.arange(parts.size, dtype=np.int32)
    return parts, positions[cells]


def _computed(
    con: "Session",
    place: "TablePlace",
    aggregates: Sequence[str],
    parts: NDArray[Any],
    rids: NDArray[Any],
    apart: bool,
) -> pa.Table:
    """Return the aggregates of each part, in the order of the parts."""
    rows, end = con.extent(place)
    if apart and rows == end:
        part_of = np.full(rows, -1, np.int32)
        part_of[rids] = parts
        given = pa.table({PART: part_of})
        source = f"{place.sql()} positional join {PARTS} where {PART} >= 0"
    else:
        given = pa.table({PART: parts, "__provhouse_rid": rids})
        source = f"{place.sql()} t join {PARTS} p on t.rowid = p.__provhouse_rid"
    con.duckdb.register(PARTS, given)
    listed = ", ".join([PART, *aggregates])
    try:
        text = f"select {listed} from {source} group by {PART} order by {PART}"
        return con.duckdb.sql(text).to_arrow_table().drop_columns([PART])
    finally:
        con.duckdb.unregister(PARTS)
