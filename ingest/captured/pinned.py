"""The files of a captured block, pinned in the state in which it read and wrote them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from provhouse.store.warehouse.pins import Pin
from provhouse.store.warehouse.written import Written

from .description import SourceFile
from .keys import Key
from .known import Known
from .names import key_of
from .output import Output


def pins_of(
    outputs: Sequence[Output],
    versions: Sequence[Written],
    sources: Sequence[SourceFile],
    keys: Mapping[str, Key],
    known: Known,
) -> list[Pin]:
    """Return the pinned files of a block. Files of captured writes were pinned when written."""
    written = [
        _now(version, path)
        for output, version in zip(outputs, versions, strict=True)
        if not output.write.key and not output.write.unit  # else they are not read again
        for path in output.files
    ]
    writes = known.writes([source.path for source in sources])
    read = [
        Pin(each.table, key_of(each, keys, known), each.path, each.bytes, each.changed)
        for each, write in zip(sources, writes, strict=True)
        if write is None and each.unit == "parquet"
    ]
    return [*written, *read]


def _now(written: Written, path: Path) -> Pin:
    found = os.stat(path)
    changed = found.st_mtime_ns // 1_000_000
    return Pin(written.table, written.key, path, found.st_size, changed)
