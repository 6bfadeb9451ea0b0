"""The files of a captured write. Row n of task p is row n of the file ``part-p``.

A task that writes partitions or buckets makes a file for each of them; the tap records the file
of each row.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput

from .description import CapturedWrite, SourceFile
from .marks import Marks, as_ids
from .tap_files import PIECE, count_places, row_pieces

_NAME = re.compile(r"part-(\d+)-([0-9a-f-]{36})(?:_(\d+))?(?:[-.]c(\d+))?\b.*")
"""A file's name: the task, the id of the write, the bucket, and a counter for the task's files."""

_ICEBERG = re.compile(r"(\d+)-\d+-([0-9a-f-]{36})(?:-\d+)?-(\d+)\.parquet")
"""The name of a file of Iceberg: the task, its attempt, the id of the write, and a counter."""


@dataclass(frozen=True)
class Output:
    """The files of one write, in the order of its rows."""

    write: CapturedWrite
    files: tuple[Path, ...]
    marks: Marks = field(default_factory=dict)
    """The marked rows that the rows of the write derive from."""
    tasks: tuple[tuple[int, str], ...] = ()
    """For each file, its task, and its partition and bucket within the task."""
    sample: float = 1.0
    """The fraction of the rows that keep their lineage."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each file."""
        return tuple(map(_rows, self.files))

    def carried(self) -> Iterator[tuple[int, I64]]:
        """Yield pieces: each has its first row's position, and an array with a row per slot."""
        for first, piece in self._pieces():
            yield first, as_ids(self.write.slots, piece[: len(self.write.slots)], self.marks)

    def kept(self) -> Iterator[tuple[int, I64]]:
        """Yield pieces: each has its first row's position, and the ids of the rows' originals.

        The id is ``NONE`` for a row that is not a copy.
        """
        if self.write.kept:
            for first, piece in self._pieces():
                yield first, piece[-1]

    def ended(self) -> dict[SourceFile, I64]:
        """Return the rows that were deleted or replaced without a copy, by their files."""
        if not self.write.ends:
            return {}
        pieces = [piece[0] for piece in row_pieces(self.write.folder / "gone", 1, 0)]
        ids = unique(np.concatenate([np.empty(0, np.int64), *pieces]))
        numbers, rows = ids >> ROW_BITS, ids & ((1 << ROW_BITS) - 1)
        files = {source.number: source for source in self.write.sources}
        return {files[number]: rows[numbers == number] for number in unique(numbers).tolist()}

    def _pieces(self) -> Iterator[tuple[int, I64]]:
        width, first = len(self.write.slots) + self.write.kept, 0
        for slots in row_pieces(self.write.folder / "rows", width, self.write.parts):
            for start in range(0, slots.shape[1], PIECE):
                yield first + start, slots[:, start : start + PIECE]
            first += slots.shape[1]

    @cached_property
    def starts(self) -> I64:
        """The position of the first row of each file, followed by the number of all rows."""
        return np.append(0, np.cumsum(self.counts, dtype=np.int64))


def _rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except FileNotFoundError as error:
        raise BadInput(
            f"{path}, which a captured job wrote, was deleted",
            "Its rows cannot be named without the file",
            "Run the job again",
        ) from error


def output_of(write: CapturedWrite) -> Output:
    """Return the files of a write after checking that they have exactly the captured rows.

    Raises BadInput if another program also wrote to the folder, if a file was deleted, or if the
    numbers of rows differ from the numbers that the tasks captured.
    """
    parts = in_order(check_one_job(write))
    tasks = tuple((part.task, part.place) for part in parts)
    if write.commits > 1 and write.committed:
        raise BadInput(
            f"It is unknown which rows of {write.path} the captured job changed",
            "Another program changed the table at the same time",
            "Run the job again while no other job writes there",
        )
    output = Output(write, tuple(part.path for part in parts), tasks=tasks)
    if not write.moves:
        _check_counts(write, parts, output.counts)
    return output


def check_one_job(write: CapturedWrite) -> "list[OutputPart]":
    """Return the files of a write; raise BadInput if another program also wrote there."""
    parts = [OutputPart.of(path, write) for path in write.written]
    listed = write.format == "delta" or write.logged
    if not listed and len({part.write for part in parts}) > 1:
        raise BadInput(
            f"It is unknown which files in {write.path} the captured job wrote",
            "Two jobs wrote there at the same time",
            "Run the job again while no other job writes there",
        )
    return parts


def in_order(parts: "Sequence[OutputPart]") -> "list[OutputPart]":
    """Return the files of a write in the order of its rows."""
    return sorted(parts, key=lambda part: (part.task, part.place.encode(), part.counter))


@dataclass(frozen=True)
class OutputPart:
    """A file of a write, with the facts that its name and folder contain."""

    path: Path
    task: int
    write: str
    place: str
    counter: int

    @classmethod
    def of(cls, path: Path, write: CapturedWrite) -> "OutputPart":
        """Return the facts in a file's path; raise BadInput if the name is not one of Spark's."""
        if write.format == "iceberg" and (found := _ICEBERG.fullmatch(path.name)):
            return cls(path, int(found[1]), found[2], "", int(found[3]))
        match = _NAME.fullmatch(path.name)
        if not match or not path.is_relative_to(write.path):
            raise BadInput(
                f"It is unknown which task wrote {path}",
                "Spark does not give such names to files",
                "If another program put it there, remove it, and run the job again",
            )
        folder = write.places.get(path) or path.parent.relative_to(write.path).as_posix()
        # Without partitions, Delta puts files with column mapping into folders of any name.
        places = [folder] if folder != "." and write.parts else []
        if match[3]:
            places.append(str(int(match[3])))
        return cls(path, int(match[1]), match[2], "|".join(places), int(match[4] or 0))


def _check_counts(write: CapturedWrite, parts: Sequence[OutputPart], counts: Sequence[int]) -> None:
    written: Counter[tuple[int, str]] = Counter()
    for part, count in zip(parts, counts, strict=True):
        written[part.task, part.place] += count
    captured = count_places(write.folder / "rows", write.parts)
    for task, place in sorted({*written, *captured}):
        if written[task, place] != captured[task, place]:
            raise BadInput(
                f"The lineage of {write.path} does not match its rows",
                f"Task {task} has written {written[task, place]:,} rows"
                f"{f' of {place}' * bool(place)} and captured {captured[task, place]:,}",
                "Run the job again; if this repeats, report it",
            )
