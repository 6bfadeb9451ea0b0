"""Give versions to the writes of captured jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from provhouse.model.column_map import NO_COLUMNS, ColumnMap
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.file_table import add_files, numbers_of
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.written import RowTracking, Written, add_written, read_written

from .single_writer import only_writer


@dataclass(frozen=True)
class NewWrite:
    """A write that has no version yet; ``Written`` explains the fields."""

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
        return [_numbered(layout, write) for write in writes]


def _numbered(layout: Layout, write: NewWrite) -> Written:
    paths = pa.array([str(path) for path in write.files], pa.string())
    numbers = numbers_of(layout, paths)
    if (numbers < 0).any():
        add_files(layout, paths.filter(pa.array(numbers < 0)))
        numbers = numbers_of(layout, paths)
    known = read_written(layout).get(int(numbers[0]))
    if known is None:
        files = tuple(numbers.tolist())
        known = Written(
            write.table,
            min(files),
            write.key,
            files,
            write.run,
            write.columns,
            write.path,
            write.replaces,
            write.bare,
            max(generations(layout), default=0),
            write.tracking,
            write.stored,
            write.states,
        )
        add_written(layout, known)
    return known
