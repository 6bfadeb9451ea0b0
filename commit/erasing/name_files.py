"""Remove names from the files of a base: from segments (names by number) and from look-ups.

Look-ups must also be cleared, since a hash in a look-up would confirm a guessed name.
``erased.npy`` is written first and hides the names from all readers at once. The other files may be
cleared later, and more than once.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, U64, ItemNumbers, among, union, unique
from provhouse.model.columns import NAME
from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.store.names.erased import ERASED, erased_in
from provhouse.store.names.id_lookup import TableIds, ids_file, read_ids, write_ids
from provhouse.store.names.lookup import lookup_file, read_lookup, write_lookup
from provhouse.store.names.names import Names, Span
from provhouse.store.names.old_lookup import old_lookup_files
from provhouse.store.names.pair_sort import count
from provhouse.store.names.segments import BATCH, SegmentReader, without_rows
from provhouse.store.names.versions import read_versions, versions_file


def mark_erased(folder: Path, numbers: ItemNumbers) -> None:
    """Hide the names of these items of a base from all later reads."""
    aside = folder / f"{ERASED}.new"
    with aside.open("wb") as file:
        np.save(file, union(erased_in(folder), numbers))
        file.flush()
        os.fsync(file.fileno())
    reach("erased unwritten")
    aside.replace(folder / ERASED)
    sync_folder(folder)
    reach("erased written")


def clear_segments(folder: Path, spans: list[Span], numbers: ItemNumbers) -> None:
    """Remove the names of these items from their segments."""
    files = Names(folder, spans).files
    firsts = np.array([first for first, _ in files], np.int64)
    for at in unique(np.searchsorted(firsts, numbers, "right") - 1).tolist():
        first, path = files[at]
        after = firsts[at + 1] if at + 1 < len(files) else np.iinfo(np.int64).max
        rows = numbers[(numbers >= first) & (numbers < after)] - first
        if any(_have_names(path, rows)):
            _rewrite(path, rows)


def _have_names(path: Path, rows: I64) -> Iterator[bool]:
    """Yield, for each batch of a segment, whether any of the given rows in the batch has a name."""
    reader = SegmentReader(path, (NAME,))
    for number in unique(rows // BATCH).tolist():
        here = rows[rows // BATCH == number] % BATCH
        names = reader.get_batch(number).column(0).take(pa.array(here))
        yield names.null_count < len(names)


def _rewrite(path: Path, rows: I64) -> None:
    aside = path.with_name(f"{path.name}.new")
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.memory_map(str(path)) as source:
        reader = pa.ipc.open_file(source)
        with (
            pa.OSFile(str(aside), "wb") as sink,
            pa.ipc.new_file(sink, reader.schema, options=options) as out,
        ):
            for number in range(reader.num_record_batches):
                out.write_batch(_without(reader.get_batch(number), rows - number * BATCH))
    sync_file(aside)
    reach("segment rewritten")
    aside.replace(path)
    sync_folder(path.parent)


def _without(batch: pa.RecordBatch, rows: I64) -> pa.RecordBatch:
    """Return the batch without the names in the given rows.

    Rows outside of the batch are ignored.
    """
    here = rows[(rows >= 0) & (rows < batch.num_rows)]
    return without_rows(batch, here.tolist()) if len(here) else batch


def clear_lookup(folder: Path, span: Span, erased: ItemNumbers) -> None:
    """Rewrite a look-up without the entries of erased items.

    The new file appears atomically. Processes that have mapped the old one can still read it. The
    file also replaces those of an old look-up, which are removed.
    """
    known = read_lookup(folder, span.ingest)

    def kept() -> Iterator[tuple[U64, I64]]:
        for hashed, offsets in known.pairs():
            left = _kept_entries(offsets, span, erased)
            yield hashed[left], offsets[left]

    path = lookup_file(folder, span.ingest)
    if count(kept) < len(known):
        aside = path.with_name(f"{path.name}.new")
        write_lookup(aside, kept)
        sync_file(aside)
        reach("look-up rewritten")
        aside.replace(path)
        sync_folder(folder)
        reach("look-up switched")
    if path.exists():
        _remove_old_files(folder, span)


def clear_ids(folder: Path, span: Span, erased: ItemNumbers) -> None:
    """Rewrite the look-up of an ingest's row ids without the erased items, if it contains any."""
    known = read_ids(folder, span.ingest)
    if known is None or not among(known.offsets().astype(np.int64) + span.first, erased).any():
        return
    path = ids_file(folder, span.ingest)
    aside = path.with_name(f"{path.name}.new")
    write_ids(aside, [_kept_ids(table, span, erased) for table in known.tables()])
    sync_file(aside)
    reach("row ids rewritten")
    aside.replace(path)
    sync_folder(folder)


def _kept_ids(table: TableIds, span: Span, erased: ItemNumbers) -> TableIds:
    kept = _kept_entries(table.offsets.astype(np.int64), span, erased)
    return TableIds(table.pattern, table.ids[kept], table.offsets[kept])


def clear_versions(folder: Path, span: Span, erased: ItemNumbers) -> None:
    """Rewrite the versions of an ingest without the erased items, if they include any."""
    found = read_versions(folder, span.ingest)
    kept = ~among(found[1].astype(np.int64) + span.first, erased)
    if kept.all():
        return
    path = versions_file(folder, span.ingest)
    aside = path.with_name(f"{path.name}.new")
    with aside.open("wb") as file:
        np.save(file, found[:, kept])
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    sync_folder(folder)


def _remove_old_files(folder: Path, span: Span) -> None:
    for old in old_lookup_files(folder, span.ingest):
        old.unlink(missing_ok=True)
    sync_folder(folder)


def _kept_entries(offsets: I64, span: Span, erased: ItemNumbers) -> I64:
    """Return the positions of the entries whose items are not erased."""
    return np.flatnonzero(~among(offsets + span.first, erased))
