"""Write triples to temporary files, divided by whether each end is a row id or a name."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.capturing.reading.keyed_output import KeyedOutputNames
from provhouse.capturing.reading.marked_output import MarkedNames
from provhouse.capturing.reading.row_names import Ends, OutputNames, SourceNames, constant
from provhouse.capturing.reading.traced_rows import RowPiece
from provhouse.model.arrays import I64
from provhouse.model.columns import (
    DERIVATION,
    DST,
    DST_ID,
    DST_TABLE,
    EXECUTION,
    OP,
    OP_KIND,
    ROLE,
    SHARED,
    SRC,
    SRC_ID,
    SRC_TABLE,
    VALUE,
)

from ..formats.source import Source
from ..formats.spool import FILE_ROWS

_CODED = pa.dictionary(pa.int32(), pa.string())


class Streams:
    """The triples of all writes of a block, as sources for an ingest.

    In each file, the src are either all row ids or all names, and the same holds for the dst. So
    there are four kinds of files for triples without values, and four more for triples with values.
    The files are in the folder ``aside``.
    """

    def __init__(self, label: str, run: str, aside: Path) -> None:
        self._label, self._run, self._aside = label, run, aside
        self._open = dict[tuple[bool, bool, bool], _File]()
        self._sources = list[Source]()

    def add(
        self,
        piece: RowPiece,
        sources: SourceNames,
        outputs: OutputNames | MarkedNames | KeyedOutputNames,
    ) -> None:
        """Write the triples of ``piece``; ``sources`` names the srcs, and ``outputs`` the dsts."""
        dst = _nothing(0) if piece.row is None else outputs.ends(piece.row)
        if piece.src is None:
            self._write(
                piece, np.arange(len(dst.values)), _nothing(len(dst.values)), dst, _role(dst, ())
            )
            return
        for at, src in sources.ends(piece.src):
            ends = _nothing(len(at)) if piece.row is None else _taken(dst, at, len(piece.src))
            self._write(piece, at, src, ends, _role(src, sources.state))

    def finish(self) -> Sequence[Source]:
        """Close the files, and return them as sources."""
        if not self._sources:  # a write may have no rows
            none = _nothing(0)
            self._write(RowPiece(), np.empty(0, np.int64), none, none, _role(none, ()))
        for file in self._open.values():
            file.close()
        return self._sources

    def _write(self, piece: RowPiece, at: I64, src: Ends, dst: Ends, role: pa.Array) -> None:
        kind = src.by_id, dst.by_id, piece.value is not None
        file = self._open.get(kind)
        if file is None or file.rows >= FILE_ROWS:
            first = 1 if file is None else file.first + file.rows
            if file:
                file.close()
            path = self._aside / f"triples-{len(self._sources):06d}.arrow"
            file = self._open[kind] = _File(path, _schema(*kind), first)
            self._sources.append(Source(str(path), "arrow", label=self._label, first_row=first))
        count = len(at)
        values = [] if piece.value is None else [_taken_values(piece.value, at)]
        file.write(
            [
                src.values,
                dst.values,
                constant(piece.op, count),
                src.tables,
                dst.tables,
                _text(piece.derivation, at),
                _text(piece.shared, at),
                role,
                constant(piece.op_kind, count),
                constant(self._run, count),
                *values,
            ]
        )


class _File:
    """An open file of triples."""

    def __init__(self, path: Path, schema: pa.Schema, first: int) -> None:
        self.first, self.rows = first, 0
        self._schema = schema
        self._stream = pa.ipc.new_stream(str(path), schema)

    def write(self, columns: Sequence[pa.Array]) -> None:
        """Write rows, given as one array for each column."""
        batch = pa.record_batch(columns, schema=self._schema)
        self._stream.write_batch(batch)
        self.rows += batch.num_rows

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _schema(src_by_id: bool, dst_by_id: bool, valued: bool) -> pa.Schema:
    ends = [
        (SRC_ID, pa.int64()) if src_by_id else (SRC, pa.string()),
        (DST_ID, pa.int64()) if dst_by_id else (DST, pa.string()),
    ]
    texts = [(DERIVATION, pa.string()), (SHARED, pa.string()), (ROLE, pa.string())]
    coded = [(name, _CODED) for name in (OP, SRC_TABLE, DST_TABLE)]
    values = [(VALUE, pa.float64())] * valued
    return pa.schema([*ends, *coded, *texts, (OP_KIND, _CODED), (EXECUTION, _CODED), *values])


def _nothing(count: int) -> Ends:
    return Ends(pa.nulls(count, pa.string()), constant(None, count))


def _taken(ends: Ends, at: I64, count: int) -> Ends:
    if len(at) == count:
        return ends
    rows = pa.array(at)
    return Ends(ends.values.take(rows), ends.tables.take(rows))


def _role(src: Ends, state: Sequence[str]) -> pa.Array:
    """Return the role of each source row: ``state`` if it is in a module's state, else null."""
    if not state:
        return pa.nulls(len(src.values), pa.string())
    kept = pc.is_in(src.tables.cast(pa.string()), pa.array(state, pa.string()))
    return pc.if_else(kept, "state", pa.scalar(None, pa.string()))


def _taken_values(values: pa.Array, at: I64) -> pa.Array:
    return values if len(values) == len(at) else values.take(pa.array(at))


def _text(value: pa.Array | str | None, at: I64) -> pa.Array:
    if value is None or isinstance(value, str):
        return pa.repeat(pa.scalar(value, pa.string()), len(at))
    return value if len(value) == len(at) else value.take(pa.array(at))
