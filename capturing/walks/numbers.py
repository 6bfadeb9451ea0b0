"""Numbers for the files of a block, so that a row has the same id in all writes of the block.

Each write has its own numbers for the files that it reads. The block's own numbering begins with
the files that the block has only read. The files of each write follow, with consecutive numbers.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput

from ..reading.description import CapturedWrite, SourceFile
from ..reading.output import Output
from .keyed_rows import KeyedRows


@dataclass(frozen=True)
class NumberedFile:
    """A file of the block, and its number, which is part of its row ids."""

    number: int
    path: Path
    root: Path
    """The path of the file's table: the file itself, or a folder that contains it."""
    table: str
    unit: str
    """The kind of the rows: ``parquet``, ``lines``, ``records``, or ``keyed`` if found by keys."""
    write: int | None
    """The position of the write that has made the file; None if the block has only read it."""
    parts: tuple[SourceFile, ...] = ()
    """The file as described by the writes that read it.

    There is one description of the file, or one for each part that RDDs have read.
    """
    rows: int = -1
    """The number of rows; -1 if it is unknown."""

    @property
    def first_id(self) -> int:
        """The id of the first row."""
        return self.number << ROW_BITS

    @property
    def first_rows(self) -> dict[int, int]:
        """For the first byte of each part that RDDs read, the position of the part's first row."""
        return {0: 0, **{part.start: part.first for part in self.parts if part.first >= 0}}

    @property
    def place(self) -> Path:
        """The path of the file, or the table's path if the file stands for all files of a write."""
        return self.path if self.path.is_relative_to(self.root) else self.root

    @property
    def source(self) -> SourceFile | None:
        """The file as described by a write that read it; None if the block has only written it."""
        return self.parts[0] if self.parts else None


@dataclass(frozen=True)
class Shift:
    """Consecutive row ids of one write, and their offset from the ids of the block.

    Adding ``add`` to an id gives the id that the same row has in the block.
    """

    first: int
    end: int
    add: int


class FileNumbers:
    """The files of all finished writes of a block, by number."""

    def __init__(self, outputs: Sequence[Output], keyed: KeyedRows) -> None:
        """``keyed`` has the rows of files without row numbers."""
        self._keyed = keyed
        written = {path for output in outputs for path in output.files}
        read = defaultdict[Path, list[SourceFile]](list)
        for source in (source for output in outputs for source in output.write.sources):
            read[source.path].append(source)
        self.files = list[NumberedFile]()
        for path, parts in read.items():
            if path not in written:
                self._add_source(parts)
        scans = (scan for output in outputs for scan in output.write.keyed)
        tables = {path: scan for scan in scans for path in scan.files}
        for path, scan in tables.items():
            if path not in written and path not in read:
                rows = len(keyed.files[path].keys)
                self._add(path, path, scan.table, scan.unit or "keyed", None, (), rows)
        self._first = list[int]()
        for at, output in enumerate(outputs):
            self._first.append(len(self.files))
            write = output.write
            plain = "records" if write.by_position else "parquet"
            unit = write.unit or ("keyed" if write.key else plain)
            for path, rows in zip(output.files, output.counts, strict=True):
                parts = read.get(path, [])
                self._add(path, write.path, write.table, unit, at, tuple(parts), rows)
        self._first.append(len(self.files))
        self._by_path = {each.path: each.number for each in self.files}

    def _add_source(self, parts: Sequence[SourceFile]) -> None:
        one = parts[0]
        known = all(each.rows >= 0 for each in parts)
        rows = max(each.first + each.rows for each in parts) if known else -1
        self._add(one.path, one.root, one.table, one.unit, None, tuple(parts), rows)

    def _add(
        self,
        path: Path,
        root: Path,
        table: str,
        unit: str,
        write: int | None,
        parts: tuple[SourceFile, ...],
        rows: int,
    ) -> None:
        number = len(self.files)
        self.files.append(NumberedFile(number, path, root, table, unit, write, parts, rows))

    def of_write(self, write: int) -> Sequence[NumberedFile]:
        """Return the files that a write has made, in the order of ``Output.files``."""
        return self.files[self._first[write] : self._first[write + 1]]

    def first_id(self, write: int) -> int:
        """Return the smallest id that a row of a write can have.

        If ``write`` is the number of writes, return the first id after the ids of all writes.
        """
        return self._first[write] << ROW_BITS

    def add(self, source: SourceFile) -> NumberedFile:
        """Give a number to a file that no write has read, and return the numbered file."""
        self._add_source([source])
        return self.files[-1]

    def writes_read(self, write: CapturedWrite) -> set[int | None]:
        """Return the writes whose files ``write`` has read; None stands for other files."""
        paths = [source.path for source in write.sources]
        paths += [path for scan in write.keyed for path in scan.files]
        return {self.files[self._by_path[path]].write for path in paths}

    def shifts(self, write: CapturedWrite) -> tuple[Shift, ...]:
        """Return the shifts that turn the ids of one write into ids of the block, ordered by id.

        Raises BadInput if the positions of rows in a file are unknown.
        """
        shifts = [*map(self._shift, write.sources), *self._keyed_shifts(write)]
        found = list[Shift]()
        for new in sorted(shifts, key=lambda each: each.first):
            last = found[-1] if found else None
            if last and (last.end, last.add) == (new.first, new.add):
                found[-1] = Shift(last.first, new.end, new.add)
            else:
                found.append(new)
        return tuple(found)

    def _keyed_shifts(self, write: CapturedWrite) -> Iterator[Shift]:
        for scan in write.keyed:
            for run in self._keyed.runs[scan]:
                first_id = self.files[self._by_path[scan.files[run.file]]].first_id
                yield Shift(run.first, run.end, first_id + run.row - run.first)

    def _shift(self, source: SourceFile) -> Shift:
        if source.first < 0:
            raise BadInput(
                f"The rows of {source.path} have no known positions",
                "Tasks found different numbers of rows in the earlier parts of the file",
                "Run the job again; sources must not change until the block has ended",
            )
        first, end = source.number << ROW_BITS, (source.number + 1) << ROW_BITS
        return Shift(
            first, end, self.files[self._by_path[source.path]].first_id - first + source.first
        )
