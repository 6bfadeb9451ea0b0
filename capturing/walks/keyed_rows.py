"""Number the rows of files whose format has no row numbers, such as CSV, and get their keys.

The number of a row is its position among the rows of the file, in the order in which tasks have
read or written them. The keys in the tap files prove that this order is the same in all reads and
writes.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.errors import UsageError

from ..reading.keyed import KeyedSource, source_keys
from ..reading.keyed_output import KeyedOutput
from ..reading.output import Output, OutputPart
from ..reading.tap_files import count_places
from .taps import task_files


@dataclass(frozen=True)
class PlacedOutput(KeyedOutput):
    """A write in a format without row numbers, with one file for each task."""

    rows: tuple[int, ...] = field(kw_only=True)
    """The number of rows of each file."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each file."""
        return self.rows


def placed(output: Output) -> Output:
    """Return a write with the number of rows of each file.

    These numbers are unknown for tables of other databases, and if a task has made several files.
    In these cases, the returned write has a single file, the folder of its taps, which stands for
    all rows.
    """
    if not isinstance(output, KeyedOutput):
        return output
    write = output.write
    if write.format == "rdd":
        return PlacedOutput(
            write, output.files, tasks=output.tasks, names=output.names, rows=write.counts
        )
    parts = sorted((OutputPart.of(path, write) for path in write.written), key=lambda p: p.task)
    counts = count_places(write.folder / "rows", 0)
    rows = tuple(counts[part.task, ""] for part in parts)
    several = any(part.place or part.counter for part in parts)
    if several or not parts or sum(rows) != len(output.names):
        return replace(output, files=(write.folder,))
    return PlacedOutput(
        write,
        tuple(part.path for part in parts),
        tasks=tuple((part.task, "") for part in parts),
        names=output.names,
        rows=rows,
    )


def is_whole(output: Output) -> bool:
    """Return whether the folder of a write's taps stands for a file with all of its rows."""
    return isinstance(output, KeyedOutput) and not isinstance(output, PlacedOutput)


def task_rows(output: Output) -> Iterator[tuple[int, int]]:
    """Yield each task's number and row count, in the order of the rows that the tasks wrote."""
    for (task, _), count in sorted(count_places(output.write.folder / "rows", 0).items()):
        yield task, count


@dataclass(frozen=True)
class Run:
    """Consecutive ids of one scan, which identify consecutive rows of a file."""

    first: int
    end: int
    file: int
    """The position of the file in the scan's list of files."""
    row: int
    """The position of the first row in the file."""


@dataclass(frozen=True)
class KeyedFile:
    """The rows of one file, or of all files that a write has made."""

    keys: pa.Array
    """The key of each row, in the order of the rows in the file."""
    key: tuple[str, ...]
    """The columns of the key."""
    write: int
    """The number of a write that has read or made the file."""
    scan: KeyedSource | None = None
    """The scan that has read the file; None if the block has made the file."""
    made: tuple[Path, ...] = ()
    """The files in which the block has stored the rows; empty if it has only read the rows."""
    tasks: tuple[tuple[Path, int], ...] = ()
    """For each task that has made rows, its association file and the position of its first row."""
    is_whole: bool = False
    """Whether ``keys`` has all rows of a write, instead of one file's rows."""


class KeyedRows:
    """All files without row numbers that a block has read or made."""

    def __init__(self, outputs: Iterable[Output]) -> None:
        """``outputs`` are the return values of ``placed``.

        Raises UsageError if two scans have read the rows of a file in different orders.
        """
        self.files = dict[Path, KeyedFile]()
        self.runs = dict[KeyedSource, list[Run]]()
        """For each scan, its runs of consecutive row ids."""
        every = list(outputs)
        for output in every:
            if isinstance(output, KeyedOutput):
                self._add_made(output)
        for output in every:
            for scan in output.write.keyed:
                if scan not in self.runs:
                    self.runs[scan] = self._add_read(output.write.number, scan)

    def check_unchanged(self, paths: Container[Path]) -> None:
        """Raise BadInput if one of the files ``paths`` has changed since a scan read it."""
        for scan in {known.scan for path, known in self.files.items() if path in paths}:
            if scan:
                scan.check_unchanged(paths)

    def _add_made(self, output: KeyedOutput) -> None:
        write, first = output.write, 0
        names = {task: write.folder / "rows" / name for task, name in
                 task_files(write.folder / "rows").items()}  # fmt: skip
        if is_whole(output):
            tasks = list[tuple[Path, int]]()
            for task, count in task_rows(output):
                tasks.append((names[task], first))
                first += count
            self.files[write.folder] = KeyedFile(
                output.names, write.key, write.number, None, write.written, tuple(tasks), True
            )
            return
        for path, (task, _), count in zip(output.files, output.tasks, output.counts, strict=True):
            keys, made = output.names.slice(first, count), ((names[task], 0),) if count else ()
            self.files[path] = KeyedFile(keys, write.key, write.number, None, (path,), made)
            first += count

    def _add_read(self, write: int, scan: KeyedSource) -> list[Run]:
        rows = source_keys(scan)
        ends = np.flatnonzero((np.diff(rows.ids) != 1) | (np.diff(rows.files) != 0)) + 1
        bounds = np.unique([0, *ends.tolist(), len(rows.ids)]).tolist()
        found, count = list[Run](), Counter[int]()
        parts = defaultdict[int, list[pa.Array]](list)
        for start, end in pairwise(bounds):
            file, first = int(rows.files[start]), int(rows.ids[start])
            found.append(Run(first, first + end - start, file, count[file]))
            parts[file].append(rows.keys.slice(start, end - start))
            count[file] += end - start
        for file, path in enumerate(scan.files):
            keys = pa.concat_arrays([pa.array([], pa.string()), *parts[file]])
            self._add(path, KeyedFile(keys, scan.key, write, scan))
        return found

    def _add(self, path: Path, new: KeyedFile) -> None:
        """Add the rows of a file that a scan read, unless at least as many are already known."""
        known, scan = self.files.get(path, new), new.scan
        both = min(len(known.keys), len(new.keys))
        same = known.keys.slice(0, both).equals(new.keys.slice(0, both))
        longer = len(new.keys) > len(known.keys)
        if not same or (longer and known.made):
            assert scan
            raise UsageError(
                f"Rows of {scan.table} cannot be traced in the session",
                f"Tasks read the rows of {path} in different orders",
                "Ask the warehouse (provhouse lineage), or write the table as Parquet first",
            )
        if longer or path not in self.files:
            self.files[path] = new
