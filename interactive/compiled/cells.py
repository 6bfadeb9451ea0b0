"""The cell of each record: a number that stands for the record's combination of key values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from ..index.decoded import Coded, DecodedNumbers, Unfit, smallest
from ..index.parallel import divided, in_parts, threads
from ..index.rid_indexes import Chain, Link
from . import group_kernels as kernels
from .fused import Grouping, OfColumn

CELLS = 1 << 22
"""The maximum number of combinations of key values."""
APART = 16
"""The number of rids in a cache line. Two threads must not write to the same line at once."""
VALUES, AT = "__provhouse_values", "__provhouse_at"


class DecodedSource(Protocol):
    """A supplier of decoded columns, for all rows of a table or for a subset."""

    def rows(self, table: TablePlace) -> int:
        """Return the number of rows."""

    def coded(self, table: TablePlace, column: str) -> Coded:
        """Return a column as codes."""

    def numbers(self, table: TablePlace, column: str) -> DecodedNumbers:
        """Return a column as integers."""


@dataclass
class Cells:
    """The lineage of a GROUP BY: the cell of each rid. Other rids have ``number``."""

    cells: NDArray[Any]
    parts: Sequence[slice]
    """The parts into which the rids are divided. One thread counted each part."""
    counts: NDArray[np.int64]
    """The number of rids for each part (row) and cell (column)."""

    @property
    def number(self) -> int:
        """The number of cells."""
        return len(self.counts[0])

    def link(self) -> Link:
        """Return the index from cells to rids: the inverse of ``cells``."""
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

    def chain(self, row_cells: NDArray[Any]) -> Chain:
        """Return the index from rows of the result to rids, given the cell of each row."""
        if 2 * row_cells.size > self.number:
            return Chain([Link(None, row_cells, self.number), self.link()])
        kind = smallest(row_cells.size)
        row_of = np.full(self.number + 1, row_cells.size, kind)
        row_of[row_cells] = np.arange(row_cells.size, dtype=kind)
        rows = np.empty(self.cells.size, kind)
        in_parts(lambda part: kernels.place(self.cells[part], row_of, rows[part]), self.parts)
        counts = counted(rows, row_cells.size, self.parts)
        return Chain([Cells(rows, self.parts, counts).link()])

    def only(self, mask: NDArray[np.bool_]) -> "Cells":
        """Return the same cells, but without a cell for records outside ``mask``."""
        cells = np.where(mask, self.cells, self.cells.dtype.type(self.number))
        return Cells(cells, self.parts, counted(cells, self.number, self.parts))


@dataclass
class LocatedGroups:
    """The cells of a table's records, and the key values from which cells are numbered."""

    values: list[pa.Array]
    """The distinct values of each key."""
    cells: Cells

    @property
    def sizes(self) -> list[int]:
        """The number of values of each key."""
        return list(map(len, self.values))

    def cells_of(self, keys: Sequence[pa.ChunkedArray]) -> NDArray[Any]:
        """Return the cell of each group, given the groups' key columns.

        Raises Unfit for a key value that no record has.
        """
        places = []
        for column, values in zip(keys, self.values, strict=True):
            found = pc.index_in(column.cast(values.type), value_set=values)
            if found.null_count:
                raise Unfit("A group has a key that no record has")
            places.append(found.to_numpy())
        cells: NDArray[np.int32] = np.ravel_multi_index(tuple(places), self.sizes).astype(np.int32)
        return cells


def locate(
    con: duckdb.DuckDBPyConnection, grouping: Grouping, columns: DecodedSource
) -> LocatedGroups:
    """Return the cells of all records. Raises Unfit if there are too many cells."""
    keys = [_Key(con, key, columns.coded(grouping.table, key.column)) for key in grouping.keys]
    sizes = [len(key.values) for key in keys]
    number = int(np.prod(sizes, dtype=object)) if sizes else 1
    if number > CELLS:
        raise Unfit(f"Its keys have {number:,} combinations; at most {CELLS:,} are covered")
    rows = columns.rows(grouping.table)
    cells = _cells(keys, number, rows)
    for each in grouping.filters:
        coded = columns.coded(grouping.table, each.column)
        passing = passes(con, each, coded)
        kept = np.where(passing, ~cells.dtype.type(0), 0).astype(cells.dtype)
        instead = np.where(passing, 0, number).astype(cells.dtype)
        before, cells = cells, np.empty_like(cells)
        kernels.drop(coded.codes, kept, instead, before, cells)
    parts = divided(rows, threads(con))
    found = Cells(cells, parts, counted(cells, number, parts))
    return LocatedGroups([key.values for key in keys], found)


def counted(cells: NDArray[Any], number: int, parts: Sequence[slice]) -> NDArray[np.int64]:
    """Return the number of rows for each part (row of the result) and cell (column)."""

    def count(part: slice) -> NDArray[np.int64]:
        counts = kernels.totals(number)
        kernels.count(cells[part], counts)
        summed: NDArray[np.int64] = counts.sum(axis=0)[:number]
        return summed

    return np.stack(in_parts(count, parts))


def passes(con: duckdb.DuckDBPyConnection, condition: OfColumn, coded: Coded) -> NDArray[np.bool_]:
    """Return, for each code of a column, whether the value that it stands for meets a condition."""
    return np.asarray(_evaluated(con, condition, coded.values).fill_null(False), bool)


class _Key:
    """The distinct values of a key; for each code of its column, the position among the values."""

    def __init__(self, con: duckdb.DuckDBPyConnection, key: OfColumn, coded: Coded) -> None:
        self.codes = coded.codes
        self.values = coded.values
        self.places = np.arange(len(coded.values), dtype=np.int32)
        if not key.plain:
            encoded = _evaluated(con, key, coded.values).dictionary_encode(null_encoding="encode")
            self.values = encoded.dictionary
            self.places = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)


def _evaluated(con: duckdb.DuckDBPyConnection, each: OfColumn, values: pa.Array) -> pa.Array:
    """Evaluate an expression of one column for each of the given values of that column."""
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
