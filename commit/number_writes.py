"""Give versions to the writes of captured jobs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from provhouse.model.column_map import NO_COLUMNS, ColumnMap
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.file_table import add_files, numbers_of
from provhouse.store.tables.written import RowTracking, Written, add_written, read_written
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout

from .single_writer import only_writer


@dataclass(frozen=True)
class NewWrite:
    """A write that does not have a version yet; ``Written`` explains the fields."""

    table: str
    key: tuple[str, ...]
    files: tuple[Path, ...]
    run: str
    columns: ColumnMap = NO_COLUMNS
    path: str = ""
    replaces: bool = False
    bare: int = 0
    tracking: RowTracking | None = None
    stored: tuple[str, ...] = ()
    states: tuple[tuple[int, int], ...] = ()


def number_writes(
    writes: Sequence[NewWrite], settings: Settings, progress: Progress
) -> list[Written]:
    """Return the writes with their versions. A write that already has a version keeps it.

    Each write must have files, and no file may be part of another write. Raises Busy if another
    process writes.
    """
    layout = Layout(settings.warehouse)
    with only_writer(settings, progress):
        create_identity(layout)
        files = _file_numbers(layout, writes)
        known = read_written(layout)
        after = max(generations(layout), default=0)
        numbered = [
            known.get(numbers[0]) or _written(write, numbers, after)
            for write, numbers in zip(writes, files, strict=True)
        ]
        add_written(layout, [each for each in numbered if each.version not in known])
        return numbered


@contextmanager
def numbered_write(write: NewWrite, settings: Settings, progress: Progress) -> Iterator[Written]:
    """Yield a write with its version, and store the write at the end of the block.

    The block must ingest the rows of the write. If the block raises an error, the version stays
    unused, and the write is not stored. The files must not have numbers yet. Raises Busy if another
    process writes.
    """
    layout = Layout(settings.warehouse)
    with only_writer(settings, progress):
        create_identity(layout)
        (files,) = _file_numbers(layout, [write])
        written = _written(write, files, max(generations(layout), default=0))
        yield written
        add_written(layout, [written])


def _file_numbers(layout: Layout, writes: Sequence[NewWrite]) -> list[tuple[int, ...]]:
    """Return each write's file numbers. Files without numbers get the next ones."""
    paths = pa.array([str(path) for write in writes for path in write.files], pa.string())
    missing = paths.filter(pa.array(numbers_of(layout, paths) < 0))
    if len(missing):
        add_files(layout, missing)
    numbers = iter(numbers_of(layout, paths).tolist())
    return [tuple(islice(numbers, len(write.files))) for write in writes]


def _written(write: NewWrite, files: tuple[int, ...], after: int) -> Written:
    return Written(
        write.table,
        min(files),
        write.key,
        files,
        write.run,
        write.columns,
        write.path,
        write.replaces,
        write.bare,
        after,
        write.tracking,
        write.stored,
        write.states,
    )
