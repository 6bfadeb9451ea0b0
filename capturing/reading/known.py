"""The numbers of files, the captured writes and the items of a warehouse before an ingest."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.patterns import pattern_of, usual_pattern
from provhouse.store.tables.file_table import numbers_of
from provhouse.store.tables.kept_rows import KeptRows, read_kept
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.written import Written, read_written
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

from .description import SourceFile
from .moved_keys import MovedFile, moved_file
from .renamed import FileState, Renamed


class Known:
    """The numbers of files in a warehouse, and the captured write of each file."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._writes = read_written(layout)
        self._commit = current(layout)
        self._moved = dict[Path, MovedFile | None]()
        self._kept = dict[int, KeptRows | None]()
        self._renamed = Renamed(layout, self._writes)

    def numbers(self, files: Sequence[FileState]) -> list[int]:
        """Return the numbers of files, or -1 for a file without a number.

        A file of a captured write keeps its number when its folder is renamed or copied.
        """
        texts = pa.array([str(file.path) for file in files], pa.string())
        found = numbers_of(self._layout, texts).tolist()
        return [
            number if number in self._writes else self._renamed.number(file, number)
            for number, file in zip(found, files, strict=True)
        ]

    def check_other(self, file: FileState) -> None:
        """Raise BadInput if it is unknown whether a captured write made a file."""
        self._renamed.check(file)

    def names_ids(self, table: str) -> bool:
        """Return whether an item that is a row id of a table is named ``table/row id``."""
        if not self._commit:
            return True
        usual = pattern_of(table, self._commit.patterns) == usual_pattern(table)
        return usual and self._commit.naming != "table"

    def writes(self, files: Sequence[FileState]) -> list[Written | None]:
        """Return the captured write that made each file, or None."""
        return [self._writes.get(number) for number in self.numbers(files)]

    def moved(self, source: SourceFile) -> MovedFile | None:
        """Return a ``MovedFile`` if captured writes first wrote the rows elsewhere, or None."""
        if source.path not in self._moved:
            self._moved[source.path] = moved_file(source, self._tracked)
        return self._moved[source.path]

    @cached_property
    def _tracked(self) -> list[Written]:
        """The writes of tables with row tracking, oldest first."""
        found = {each.version: each for each in self._writes.values() if each.tracking}
        return [write for _, write in sorted(found.items())]

    def kept(self, file: int) -> KeptRows | None:
        """Return the row versions in a captured file, or None if the file has no copied rows."""
        if file not in self._kept:
            self._kept[file] = read_kept(self._layout, [file]).get(file)
        return self._kept[file]

    def at(self, place: Path) -> list[Written]:
        """Return the captured writes to a path, newest first, up to one that replaced all rows."""
        writes = {write.version: write for write in self._writes.values()}
        found = list[Written]()
        for _, write in sorted(writes.items(), reverse=True):
            if write.path == str(place):
                found.append(write)
                if write.replaces:
                    break
        return found

    def has_items(self, names: pa.Array) -> npt.NDArray[np.bool_]:
        """Return, for each name, whether the current generation has an item with this name."""
        if self._snapshot is None:
            return np.zeros(len(names), bool)
        found: npt.NDArray[np.bool_] = self._snapshot.names.locate(names) >= 0
        return found

    @cached_property
    def _snapshot(self) -> Snapshot | None:
        return Snapshot(self._layout, self._commit) if self._commit else None
