"""The rows of a changed table that a command has copied to other files or deleted.

A copied row keeps its version. A row was deleted if its key is not in any of the new files. Without
a declared key, a row is named by its file and position, so a copy is another row: it derives from
its original like any written row, and no name ends.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE, ROW_BITS
from provhouse.model.errors import BadInput, UsageError
from provhouse.store.tables.written import Written

from .description import RemovedFile, SourceFile
from .file_names import Key
from .known import Known
from .output import Output
from .renamed import FileState, state_of
from .row_keys import NO_ROWS, KeyStore, KeyValues, check_nulls

_INDEX = (1 << ROW_BITS) - 1


def versions_of_rows(
    output: Output, version: Written, known: Known, store: KeyStore
) -> dict[int, I64]:
    """Return the versions of the rows in each file of a write with copied rows.

    The keys of the result are file numbers. Version 0 means that the row was not written by a
    captured write. Raises BadInput if copied rows belong to a table with another name.
    """
    if output.write.moves:
        return _moved_versions(output, version, known, store)
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


def _moved_versions(
    output: Output, version: Written, known: Known, store: KeyStore
) -> dict[int, I64]:
    """Return the versions of rows that were moved, found by the keys of the rows."""
    key = version.columns_in_files
    parts = [_versions_of_file(file, version, known, store) for file in output.write.removed]
    keys = pa.concat_arrays([pa.array([], pa.string()), *(names for names, _ in parts)])
    versions = np.concatenate([NO_ROWS, *(found for _, found in parts)])
    moved = [store.of(path, key).names() for path in output.files]
    places = [pc.index_in(names, keys) for names in moved]
    if sum(map(len, moved)) != len(keys) or any(found.null_count for found in places):
        raise BadInput(
            f"It is unknown where rows of {version.table} were moved",
            "The files before and after do not have the same keys",
            "Run the job again while no other job writes there",
        )
    found = (versions[np.asarray(place)] for place in places)
    return dict(zip(version.files, found, strict=True))


def _versions_of_file(
    file: RemovedFile, version: Written, known: Known, store: KeyStore
) -> tuple[pa.Array, I64]:
    """Return the keys of the rows that a file had when it was removed, and their versions."""
    state = FileState(file.path, *state_of(file.path))
    (number,), (write,) = known.numbers([state]), known.writes([state])
    if write and write.table != version.table:
        raise _other_table(file.path, write.table, version.table)
    names = store.of(file.path, version.columns_in_files, file.before).names()
    if not write or not (kept := known.kept(number)):
        return names, np.full(len(names), write.version if write else 0)
    deleted = file.before.rows() if file.before else NO_ROWS
    rows = np.delete(np.arange(len(names) + len(deleted)), deleted)
    return names, kept.of(rows)


def _other_table(path: Path, name: str, table: str) -> BadInput:
    return BadInput(
        f"The rows of {path} belong to a table with another name",
        f"They are named {name}/…, and a command now changes {table}",
        f"Write the table once as a whole under the name {table}",
    )


def _versions(
    table: str, source: SourceFile, file: int, write: Written | None, rows: I64, known: Known
) -> I64:
    """Return the versions of the given rows of a source file."""
    moved = None if write else known.moved(source)
    name = write.table if write else moved.table if moved else source.table
    if name != table:
        raise _other_table(source.root, name, table)
    if write:
        kept = known.kept(file)
        return kept.of(rows) if kept else np.full(len(rows), write.version)
    if moved:
        versions = np.array([*(each.version for each in moved.writes), 0])
        found: I64 = versions[moved.rows[0][rows]]  # -1 is the last one
        return found
    return np.zeros(len(rows), np.int64)


def check_change(output: Output, key: Key, known: Known, fresh: Mapping[Path, Key]) -> None:
    """Raise UsageError if a command changed rows that a key names, and the block declares none.

    ``fresh`` has the keys of the files that earlier writes of the block made. The files of the rows
    may be unknown, as after an OPTIMIZE outside of a block, so all captured writes to the path of
    the table count.
    """
    if key:
        return
    write = output.write
    paths = [file.path for file in write.removed]
    paths += [source.path for source in output.ended()]
    writes = known.writes([FileState(path, *state_of(path)) for path in paths])
    found = [*writes, *(known.at(write.path) if paths else ())]
    keys = [*(each.key for each in found if each), *(fresh.get(path, ()) for path in paths)]
    named = next(filter(None, keys), ())
    if named or write.kept:
        raise UsageError(
            f"A command has changed {write.table} without its key",
            f"Captured jobs named its rows by the key {', '.join(named)}"
            if named
            else "The key was declared while the job ran",
            f"Declare this key of {write.table}",
        )


def ended_names(output: Output, version: Written, store: KeyStore) -> pa.Array:
    """Return the names of the rows that a write has removed from its table, without versions.

    Without a key, no names end. Raises BadInput if the key of a row is NULL.
    """
    key, removed, ended = version.columns_in_files, output.write.removed, output.ended()
    if not key:
        return pa.array([], pa.string())
    gone = [
        *(_gone(file, version, store) for file in removed),
        *(_taken(store.of(file.path, key), rows) for file, rows in ended.items()),
    ]
    before = pa.concat_arrays([pa.array([], pa.string()), *gone])
    now = [store.of(path, key) for path in output.files if gone]
    check_nulls(now, version.table, version.key)
    after = pa.concat_arrays([pa.array([], pa.string()), *(part.names() for part in now)])
    left = before.filter(pc.invert(pc.is_in(before, after)))
    return pc.binary_join_element_wise(f"{version.table}/", left, "")


def _gone(file: RemovedFile, version: Written, store: KeyStore) -> pa.Array:
    """Return the keys of the rows that a write has removed from a file."""
    key = version.columns_in_files
    left = store.of(file.path, key, file.before)
    check_nulls([left], version.table, version.key)
    if not file.after:
        return left.names()
    before = file.before.rows() if file.before else NO_ROWS
    rows = np.setdiff1d(file.after.rows(), before, assume_unique=True)
    return _taken(store.of(file.path, key), rows)


def _taken(keys: KeyValues, rows: I64) -> pa.Array:
    return keys.take(rows).cast(pa.string())
