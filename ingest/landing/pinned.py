"""Pin the files of a captured block, in the state in which the block read or wrote them."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from provhouse.capturing.reading.description import SourceFile
from provhouse.capturing.reading.file_names import Key
from provhouse.capturing.reading.known import Known
from provhouse.capturing.reading.output import Output
from provhouse.capturing.reading.row_keys import KeyStore, Range
from provhouse.capturing.reading.row_names import key_of
from provhouse.store.tables.pins import Pin, read_pins
from provhouse.store.tables.written import Written
from provhouse.store.warehouse.layout import Layout


def pins_of(
    outputs: Sequence[Output],
    versions: Sequence[Written],
    sources: Sequence[SourceFile],
    keys: Mapping[str, Key],
    known: Known,
    store: KeyStore,
) -> list[Pin]:
    """Return the pins of the files that a block wrote and read.

    Files that an earlier captured write made are left out, because that write has pinned them.
    """
    written = [
        _now(version, path)
        for output, version in zip(outputs, versions, strict=True)
        if not (
            output.write.key or output.write.unit or output.write.by_position
        )  # no other output is read again
        for path in output.files
    ]
    writes = known.writes([source.state for source in sources])
    read = [
        _pin(each, key_of(each, keys, known), store)
        for each, write in zip(sources, writes, strict=True)
        if write is None and each.unit == "parquet"
    ]
    return [*written, *read]


def checked_before(
    layout: Layout, sources: Collection[SourceFile]
) -> dict[tuple[Path, Key], Range]:
    """Return the range of the keys in each source file that an earlier ingest has checked.

    The result maps the path and key columns of a file to the range. A file that has changed since
    then does not count as checked.
    """
    states = {(each.path, each.bytes, each.changed) for each in sources}
    return {
        (pin.path, pin.key): (pin.low, pin.high)
        for pin in read_pins(layout, {each.table for each in sources})
        if pin.low is not None and pin.high is not None
        if (pin.path, pin.bytes, pin.changed) in states
    }


def _pin(source: SourceFile, key: Key, store: KeyStore) -> Pin:
    checked = key and not source.deleted  # else only the rows that are left were checked
    low, high = (checked and store.range(source.path, key)) or (None, None)
    columns = key and store.columns(source.path, key)
    return Pin(source.table, columns, source.path, source.bytes, source.changed, low, high)


def _now(written: Written, path: Path) -> Pin:
    found = os.stat(path)
    changed = found.st_mtime_ns // 1_000_000
    return Pin(written.table, written.columns_in_files, path, found.st_size, changed)
