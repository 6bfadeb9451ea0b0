"""The rows of a changed table that a command has copied to other files or deleted.

A copied row keeps its version. A row was deleted if its key is not in any of the new files.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE, ROW_BITS
from provhouse.model.errors import BadInput
from provhouse.store.tables.written import Written

from .description import SourceFile
from .known import Known
from .output import Output
from .row_keys import KeyStore, KeyValues, check_nulls

_INDEX = (1 << ROW_BITS) - 1


def versions_of_rows(output: Output, version: Written, known: Known) -> dict[int, I64]:
    """Return the versions of the rows in each file of a write with copied rows.

    The keys of the result are file numbers. Version 0 means that the row was not written by a
    captured write. Raises BadInput if copied rows belong to a table with another name.
    """
    if not output.write.kept:
        return {}
    sources = output.write.sources
    states = [source.state for source in sources]
    found = zip(sources, known.numbers(states), known.writes(states), strict=True)
    files = {source.number: (source, number, write) for source, number, write in found}
    versions = np.full(sum(output.counts), version.version)
    for first, ids in output.kept():
        row = np.flatnonzero(ids != NONE)
        of = ids[row] >> ROW_BITS
        for number in np.unique(of).tolist():
            at = row[of == number]
            source, file, write = files[number]
            rows = (ids[at] & _INDEX) + source.first
            versions[first + at] = _versions(version.table, source, file, write, rows, known)
    parts = np.split(versions, output.starts[1:-1])
    return dict(zip(version.files, parts, strict=True))


def _versions(
    table: str, source: SourceFile, file: int, write: Written | None, rows: I64, known: Known
) -> I64:
    """Return the versions of the given rows of a source file."""
    moved = None if write else known.moved(source)
    name = write.table if write else moved.table if moved else source.table
    if name != table:
        raise BadInput(
            f"The rows of {source.root} belong to a table with another name",
            f"They are named {name}/…, and a command now changes {table}",
            f"Write the table once as a whole under the name {table}",
        )
    if write:
        kept = known.kept(file)
        return kept.of(rows) if kept else np.full(len(rows), write.version)
    if moved:
        versions = np.array([*(each.version for each in moved.writes), 0])
        found: I64 = versions[moved.rows[0][rows]]  # -1 is the last one
        return found
    return np.zeros(len(rows), np.int64)


def ended_names(output: Output, version: Written, store: KeyStore) -> pa.Array:
    """Return the names of the rows that a write has removed from its table, without versions.

    Raises BadInput if the key of a row is NULL.
    """
    key, removed = version.columns_in_files, output.write.removed
    before = _keys([store.of(path, key) for path in removed], version)
    now = _keys([store.of(path, key) for path in output.files if removed], version)
    gone = before.filter(pc.invert(pc.is_in(before, now)))
    return pc.binary_join_element_wise(f"{version.table}/", gone, "")


def _keys(parts: Sequence[KeyValues], version: Written) -> pa.Array:
    check_nulls(parts, version.table, version.key)
    return pa.concat_arrays([pa.array([], pa.string()), *(part.names() for part in parts)])
