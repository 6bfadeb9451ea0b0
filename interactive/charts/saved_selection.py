"""Write a selection's records as a trace that `provhouse ingest` accepts."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from provhouse.model.errors import BadInput, UsageError
from provhouse.model.key_texts import name_text

from .file_records import ROW, FileRecords

CHUNK = 1 << 20
"""The number of triples in one write."""
TABLE = "selection"
OP = "brush"


def item(name: str) -> str:
    """Return the name of the item that stands for a selection."""
    return f"{TABLE}/{name}"


def write_selection(
    records: FileRecords,
    positions: NDArray[np.int64],
    name: str,
    brushes: str,
    file: Path,
    key: str | None = None,
) -> None:
    """Write a Parquet trace that derives one aggregate, the selection, from records.

    The records are those at ``positions``. The item of the selection is named ``selection/NAME``.
    The item of a record is named ``TABLE/KEY``, or ``TABLE/N`` if no ``key`` is given: N is the
    rowid of a DuckDB table, or the position in any other file, counted from 0. ``brushes``
    describes the brushed bars and becomes an attribute. Raises BadInput if the file has changed
    since it was read, or if a key is NULL or occurs twice. Raises UsageError if the trace already
    exists.
    """
    if records.changed:
        raise BadInput(
            f"{records.file} has changed since it was opened",
            "Its rows may differ from the rows that are shown",
            "Open it again, and repeat the selection",
        )
    if key is None and not records.numbered:
        raise BadInput(
            f"The records of {records.name} have no row numbers",
            "Its column rowid hides them",
            "Name the column that identifies records with --key",
        )
    ids = records.table.column(key) if key else None
    if ids is not None and (ids.null_count or pc.count_distinct(ids).as_py() < len(ids)):
        raise BadInput(
            f"The column {key!r} does not identify the records",
            "A value is NULL or occurs twice",
            "Choose another with --key, or leave it out to use the rows' positions",
        )
    try:
        with file.open("xb") as out:
            rowids = records.table.column(ROW) if ROW in records.table.column_names else None
            ends = partial(_ends, records.name, rowids if ids is None else ids)
            write_trace(records.name, positions, ends, (item(name), brushes), out)
    except FileExistsError:
        raise UsageError(
            f"{file} already exists", "It would be overwritten", "Choose another name"
        ) from None


def write_trace(
    table: str,
    positions: NDArray[np.int64],
    ends: Callable[[NDArray[np.int64]], pa.Table],
    texts: tuple[str, str],
    out: object,
) -> None:
    """Write the Parquet trace of a selection to a file.

    ``ends`` returns the trace column that identifies the records at the given positions. ``texts``
    are the name of the selection's item, and the description of its brushes.
    """
    first = ends(np.empty(0, np.int64))
    named = {"src_table": table, "dst": texts[0], "dst_table": TABLE, "op": OP}
    texts_of = {**named, "op_kind": "aggregate", "brushes": texts[1]}
    schema = pa.schema([first.field(0), *((name, pa.string()) for name in texts_of)])
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(positions), CHUNK):
            chosen = positions[start : start + CHUNK]
            columns = [pa.repeat(pa.scalar(text), len(chosen)) for text in texts_of.values()]
            arrays = [ends(chosen).column(0), *columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _ends(table: str, ids: pa.ChunkedArray | None, positions: NDArray[np.int64]) -> pa.Table:
    """Return the trace column that identifies records: row ids for integer keys, else names."""
    found = (
        pa.chunked_array([pa.array(positions)]) if ids is None else ids.take(pa.array(positions))
    )
    if pa.types.is_integer(found.type):
        return pa.table({"src_id": found.cast(pa.int64())})
    names = pc.binary_join_element_wise(table, name_text(found), "/")
    return pa.table({"src": names})
