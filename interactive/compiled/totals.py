"""The exact aggregates of each cell of a compiled GROUP BY, computed in chunks of rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..index.decoded import DecodedNumbers, Unfit, decimal
from ..index.parallel import in_parts
from . import group_kernels as kernels
from .arithmetic import Chunk, Term
from .fused import Aggregate

CHUNK = 1 << 15
"""The number of rows per evaluation of an expression: so few that they stay in the cache."""
SELECTIVE = 0.3
"""If less than this share of the rows passes the filters, only the passing rows are read."""
LOOPS: dict[str, Any] = {"sum": kernels.add, "min": kernels.lowest, "max": kernels.highest}
Ints = NDArray[np.int64]


Tables = dict[tuple[str, str], Ints]
"""The totals of each cell, by aggregate function and the SQL of the function's argument."""


class GroupTotals:
    """The aggregates of each cell. Raises Unfit if a sum might not fit in 64 bits.

    ``rows`` has the number of rows of each cell. The ``parts`` of the rows are aggregated by one
    thread each, unless an aggregate's argument has arithmetic: its many short calls would make
    threads wait for the GIL.
    """

    def __init__(
        self,
        aggregates: Sequence[Aggregate],
        numbers: Mapping[str, DecodedNumbers],
        cells: NDArray[Any],
        parts: Sequence[slice],
        rows: Ints,
    ) -> None:
        self.rows = rows
        self._numbers, self._cells, self._none = numbers, cells, rows.size
        self._terms = {each.term.sql: each.term for each in aggregates if each.term is not None}
        self._nullable = {
            sql: [name for name in sorted(term.columns) if numbers[name].valid is not None]
            for sql, term in self._terms.items()
        }
        self._out: Tables = {}
        for each in aggregates:
            if each.term is not None:
                self._prepare(each, each.term)
        if any(term.operator for term in self._terms.values()):
            parts = [slice(0, cells.size)]
        if self._out:
            copies = [{of: out.copy() for of, out in self._out.items()} for _ in parts[1:]]
            in_parts(self._run, parts, [self._out, *copies])
            for copy in copies:
                self._merge(copy)

    def _prepare(self, each: Aggregate, term: Term) -> None:
        """Create the arrays of totals that an aggregate needs."""
        bounds = term.bounds({name: (one.low, one.high) for name, one in self._numbers.items()})
        if bounds is None:
            raise Unfit(f"The values of {term.sql} may not fit 64 bits")
        if self._nullable[term.sql]:
            self._out["count", term.sql] = kernels.totals(self._none)
        if each.function in ("sum", "avg"):
            if max(map(abs, bounds)) * max(1, self._cells.size) >= 2**63:
                raise Unfit(f"The sum of {term.sql} may not fit 64 bits")
            self._out["sum", term.sql] = kernels.totals(self._none)
        elif each.function in ("min", "max"):
            edge = np.iinfo(np.int64).max if each.function == "min" else np.iinfo(np.int64).min
            self._out[each.function, term.sql] = np.full(self._none + 1, edge, np.int64)

    def _run(self, part: slice, out: Tables) -> None:
        """Add the rows of a part to the totals ``out``."""
        size, chosen = part.stop - part.start, None
        if int(self.rows.sum()) < SELECTIVE * self._cells.size:
            chosen = part.start + np.flatnonzero(self._cells[part] != self._none)
            size = chosen.size
        elif not (out := self._add_columns(part, out)):
            return
        for start in range(0, size, CHUNK):
            if chosen is None:
                first = part.start + start
                self._add(slice(first, min(first + CHUNK, part.stop)), out)
            else:
                self._add(chosen[start : start + CHUNK], out)

    def _add_columns(self, part: slice, tables: Tables) -> Tables:
        """Add a part's rows to the totals of columns without NULL; return the other totals."""
        others: Tables = {}
        for (function, sql), out in tables.items():
            column = self._terms[sql].column
            if column and not self._nullable[sql]:
                LOOPS[function](self._cells[part], self._numbers[column].numbers[part], out)
            else:
                others[function, sql] = out
        return others

    def _add(self, rows: Any, tables: Tables) -> None:
        """Add the given rows to all totals. ``rows`` is a slice or an array of positions."""
        known: dict[str, Chunk] = {}
        cells = self._cells[rows]
        for sql, term in self._terms.items():
            own = cells
            for column in self._nullable[sql]:
                valid = self._numbers[column].valid
                assert valid is not None
                own = np.where(valid[rows], own, own.dtype.type(self._none))
            for (function, of), out in tables.items():
                if of != sql:
                    continue
                if function == "count":
                    kernels.count(own, out)
                    continue
                values = term.evaluate(lambda name: self._read(name, rows), known)
                assert not isinstance(values, int)
                LOOPS[function](own, values, out)

    def _merge(self, tables: Tables) -> None:
        """Merge another part's totals into the first part's totals."""
        merging: dict[str, Any] = {"min": np.minimum, "max": np.maximum}
        for (function, sql), out in tables.items():
            kept = self._out[function, sql]
            merging.get(function, np.add)(kept, out, out=kept)

    def _read(self, column: str, rows: Any) -> Ints:
        numbers: Ints = self._numbers[column].numbers[rows].astype(np.int64)
        return numbers

    def column(self, each: Aggregate, present: Ints) -> pa.Array:
        """Return the values of an aggregate in the cells ``present``."""
        if each.term is None:
            return pa.array(self.rows[present])
        term = each.term
        valid = self._out.get(("count", term.sql))
        counts = (self.rows if valid is None else valid.sum(axis=0))[present]
        if each.function == "count":
            return pa.array(counts)
        empty = counts == 0
        if each.function in ("min", "max"):
            found = self._out[each.function, term.sql][present]
            return typed(np.where(empty, 0, found), empty, each.kind)
        sums = self._out["sum", term.sql].sum(axis=0)[present]
        if each.function == "sum":
            return typed(sums, empty, each.kind)
        return pa.array(mean(sums, np.maximum(counts, 1), term), mask=empty)


def mean(sums: Ints, counts: Ints, term: Term) -> NDArray[np.float64]:
    """Return averages as DuckDB computes them: in long double, or in double for up to 16 bits."""
    digits = decimal(term.kind)
    small = term.kind in ("TINYINT", "SMALLINT", "UTINYINT") or (digits and digits[0] <= 4)
    kind: Any = np.float64 if small else np.longdouble
    found = sums.astype(kind) / (counts.astype(kind) * kind(10**term.scale))
    means: NDArray[np.float64] = found.astype(np.float64)
    return means


INTEGER_TYPES = {
    "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(),
    "UTINYINT": pa.uint8(), "USMALLINT": pa.uint16(), "UINTEGER": pa.uint32(),
    "HUGEINT": pa.int64(), "DATE": pa.int32(),
}  # fmt: skip
"""The Arrow types of DuckDB's integers, and of dates as numbers.

HUGEINT values are passed as int64, and the query casts them to HUGEINT in DuckDB.
"""


def typed(numbers: Ints, empty: NDArray[np.bool_], kind: str) -> pa.Array:
    """Return integers as an Arrow array of the DuckDB type ``kind``, with NULL where ``empty``."""
    if (digits := decimal(kind)) is None:
        found = pa.array(numbers, mask=empty).cast(INTEGER_TYPES[kind])
        return found.view(pa.date32()) if kind == "DATE" else found
    words = np.empty((numbers.size, 2), np.int64)
    words[:, 0], words[:, 1] = numbers, numbers >> 63
    valid = pa.array(~empty).buffers()[1]
    buffers = [valid, pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.decimal128(*digits), numbers.size, buffers)
