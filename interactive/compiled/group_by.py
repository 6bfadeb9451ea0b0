"""Run a GROUP BY of one table with compiled loops, which also capture its lineage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from ..index.decoded import Coded, DecodedNumbers, Unfit, smallest
from ..index.links import Link
from ..index.parallel import divided, in_parts, threads
from . import group_kernels as kernels
from .fused import CELL, GROUPS, Fused, OfColumn
from .totals import GroupTotals, counted

CELLS = 1 << 22
"""The largest number of combinations of keys."""
APART = 16
"""The number of rids in a line of the cache; two threads must not write to one line at once."""
VALUES, AT = "__provhouse_values", "__provhouse_at"


class DecodedSource(Protocol):
    """Decoded columns, either of all rows of a table or of some."""

    def rows(self, table: TablePlace) -> int:
        """Return the number of rows."""

    def coded(self, table: TablePlace, column: str) -> Coded:
        """Return a column as codes."""

    def numbers(self, table: TablePlace, column: str) -> DecodedNumbers:
        """Return a column as integers."""


@dataclass
class Cells:
    """The lineage of a GROUP BY: the cell of each rid, or ``number`` if the rid has none."""

    cells: NDArray[Any]
    parts: Sequence[slice]
    """Parts of the rids. One thread has counted each part."""
    counts: NDArray[np.int64]
    """The number of rids in each cell, with a row for each part."""

    @property
    def number(self) -> int:
        """The number of cells."""
        return len(self.counts[0])

    def link(self) -> Link:
        """Return the index from cells to rids; ``cells`` is the index in the other direction."""
        counts = self.counts.sum(axis=0)
        offsets = np.zeros(self.number + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        number = int(offsets[-1])
        starts = np.empty((len(self.parts), self.number + 1), np.int64)
        starts[:, :-1] = offsets[:-1] + np.cumsum(self.counts, axis=0) - self.counts
        starts[:, -1] = number + APART * np.arange(len(self.parts))  # for rids without a cell
        rids = np.empty(number + APART * len(self.parts), np.int32)

        def scatter(part: slice, at: NDArray[np.int64]) -> None:
            kernels.scatter(self.cells[part], part.start, at, rids)

        in_parts(scatter, self.parts, list(starts))
        return Link(offsets, rids[:number], self.cells.size, self.cells)

    def only(self, mask: NDArray[np.bool_]) -> "Cells":
        """Return the lineage of the records whose mask is true."""
        cells = np.where(mask, self.cells, self.cells.dtype.type(self.number))
        return Cells(cells, self.parts, counted(cells, self.number, self.parts))


@dataclass
class CompiledGroups:
    """The rows of a query, the cell of each row, and the lineage of the cells."""

    rows: pa.Table
    row_cells: NDArray[np.int32]
    cells: Cells


def run(con: duckdb.DuckDBPyConnection, fused: Fused, columns: DecodedSource) -> CompiledGroups:
    """Run a query. Raises Unfit if DuckDB must run it, and DuckDB's errors."""
    keys = [_Key(con, key, columns.coded(fused.table, key.column)) for key in fused.keys]
    sizes = [len(key.values) for key in keys]
    number = int(np.prod(sizes, dtype=object)) if sizes else 1
    if number > CELLS:
        raise Unfit(f"Its keys have {number:,} combinations; at most {CELLS:,} are covered")
    rows = columns.rows(fused.table)
    cells = _cells(keys, number, rows)
    for each in fused.filters:
        coded = columns.coded(fused.table, each.column)
        passing = passes(con, each, coded)
        kept = np.where(passing, ~cells.dtype.type(0), 0).astype(cells.dtype)
        instead = np.where(passing, 0, number).astype(cells.dtype)
        before, cells = cells, np.empty_like(cells)
        kernels.drop(coded.codes, kept, instead, before, cells)
    numbers = {name.lower(): columns.numbers(fused.table, name) for name in fused.numbers}
    parts = divided(rows, threads(con))
    counts = counted(cells, number, parts)
    totals = GroupTotals(fused.aggregates, numbers, cells, parts, counts.sum(axis=0))
    present = np.flatnonzero(totals.rows) if fused.keys else np.zeros(1, np.int64)
    named: dict[str, Any] = {CELL: pa.array(present.astype(np.int32))}
    places = np.unravel_index(present, sizes) if sizes else ()
    for at, (key, place) in enumerate(zip(keys, places, strict=True)):
        named[f"k{at}"] = key.values.take(pa.array(place))
    for at, aggregate in enumerate(fused.aggregates):
        named[f"a{at}"] = totals.column(aggregate, present)
    con.register(GROUPS, pa.table(named))
    try:
        relation = con.sql(fused.sql)
        if list(map(str, relation.types[:-1])) != fused.kinds:
            raise Unfit("It has types that cannot be compiled")
        found = relation.to_arrow_table()
    finally:
        con.unregister(GROUPS)
    last = found.num_columns - 1
    lineage = Cells(cells, parts, counts)
    return CompiledGroups(found.select(range(last)), found.column(last).to_numpy(), lineage)


def passes(con: duckdb.DuckDBPyConnection, condition: OfColumn, coded: Coded) -> NDArray[np.bool_]:
    """Return for each code of a column whether its value meets a condition."""
    return np.asarray(_evaluated(con, condition, coded.values).fill_null(False), bool)


class _Key:
    """The values of a key, and for each code of its column the position of its value."""

    def __init__(self, con: duckdb.DuckDBPyConnection, key: OfColumn, coded: Coded) -> None:
        self.codes = coded.codes
        self.values = coded.values
        self.places = np.arange(len(coded.values), dtype=np.int32)
        if not key.plain:
            encoded = _evaluated(con, key, coded.values).dictionary_encode(null_encoding="encode")
            self.values = encoded.dictionary
            self.places = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)


def _evaluated(con: duckdb.DuckDBPyConnection, each: OfColumn, values: pa.Array) -> pa.Array:
    """Return the value of an expression for each value of its column."""
    at = pa.array(np.arange(len(values)))
    con.register(VALUES, pa.table({each.column: values, AT: at}))
    try:
        text = f"select {each.sql} from {VALUES} as {quoted(each.alias)} order by {AT}"
        found = con.sql(text).to_arrow_table().column(0).combine_chunks()
    finally:
        con.unregister(VALUES)
    return found.chunk(0) if isinstance(found, pa.ChunkedArray) else found


def _cells(keys: list[_Key], number: int, rows: int) -> NDArray[Any]:
    """Return the cell of each row."""
    kind = smallest(number)
    if len(keys) == 1 and keys[0].codes.dtype == kind and _is_identity(keys[0].places):
        return keys[0].codes.copy()
    cells = None
    step = number
    for key in keys:
        step //= max(1, len(key.values))
        places, out = (key.places * np.int32(step)).astype(kind), np.empty(rows, kind)
        if cells is None:
            kernels.place(key.codes, places, out)
        else:
            kernels.combine(key.codes, places, cells, out)
        cells = out
    return np.zeros(rows, kind) if cells is None else cells


def _is_identity(places: NDArray[np.int32]) -> bool:
    return bool((places == np.arange(places.size)).all())
