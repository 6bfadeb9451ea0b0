"""The staging folder: the files that the steps of a job pass on to each other.

Tasks in other processes read and write these files. Arrays are memory-mapped, so that a task loads
only the parts it uses. The folder is deleted when the job ends.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import I32

CHUNK = 1 << 22
"""The largest number of edges in a chunk that ``edge_chunks`` yields."""


@dataclass(frozen=True)
class FileGroup:
    """The files of one kind; each is named by one or two numbers."""

    folder: Path
    ending: str

    def __call__(self, *numbers: int) -> Path:
        """Return the path of the file with these numbers."""
        return self.folder / ("-".join(f"{number:06d}" for number in numbers) + self.ending)

    def all(self, *first: int) -> list[Path]:
        """Return the existing files, in order, whose names begin with these numbers."""
        prefix = "".join(f"{number:06d}-" for number in first)
        return sorted(self.folder.glob(f"{prefix}*{self.ending}"))


class _Group:
    """Declares a group of files. Their folder has the name of the attribute."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def __set_name__(self, owner: type, name: str) -> None:
        self._folder = name

    def __get__(self, staging: "Staging", owner: type) -> FileGroup:
        return FileGroup(staging.folder / self._folder, self._ending)


class _File:
    """Declares a file that has the name of the attribute."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, staging: "Staging", owner: type) -> Path:
        return staging.folder / (self._name + self._ending)


@dataclass(frozen=True)
class Staging:
    """The paths in a job's staging folder.

    Input files, buckets of names, ranges of item numbers, and the partitions of a range are
    numbered from 0. The description of each group begins, in parentheses, with the numbers that
    select one of its files.

    A place is the position of a name's hash among all hashes of the job.
    """

    folder: Path

    rows = _Group(".arrow")
    """(file): valid rows, with hashes in place of names."""
    rejects = _Group(".parquet")
    """(file): rejected rows."""
    names = _Group(".arrow")
    """(bucket, file): names as read, with their tables."""
    items = _Group(".arrow")
    """(bucket): distinct names, in the order of their hashes."""
    item_hashes = _Group(".npy")
    """(bucket): the hashes of the distinct names."""
    hashes = _File(".npy")
    """The hash of the name at each place."""
    tables = _File(".npy")
    """The table of the item at each place, as a number."""
    stored = _File(".npy")
    """The stored item number of each place; -1 if the item is new."""
    edges = _Group(".npy")
    """(file): two arrays of places, src and dst, in the order of the file's rows."""
    numbers = _File(".npy")
    """The item number of each place, stored or new."""
    sets = _File(".arrow")
    """The new sets."""
    merges = _File(".arrow")
    """The stored components that new triples connect."""
    range_rows = _Group(".arrow")
    """(range, file): triples, with item numbers."""
    range_names = _Group(".arrow")
    """(range, bucket): new names, with item numbers."""
    lookups = _Group(".npz")
    """(bucket): the hashes of new names, and their numbers, counted from the first new number."""
    partitions = _Group(".parquet")
    """(range, partition): partitions of triples, as the warehouse will store them."""
    placements = _Group(".arrow")
    """(range): the partitions that each set is in, numbered from 0 in each range."""
    dependencies = _Group(".arrow")
    """(range): dependencies between sets."""
    workflow = _Group(".arrow")
    """(range): dependencies between tables."""
    repeats = _Group(".arrow")
    """(range): stored triples that the input brings again."""
    new_assertions = _Group(".arrow")
    """(range): the triples of ``repeats`` that their origin did not assert before."""
    more_origins = _Group(".arrow")
    """(range): the second and further origins of new triples."""
    segments = _Group("")
    """Segments of names and their look-ups, as the warehouse will store them."""
    done = _File("")
    """The progress of each running task."""

    def create(self) -> "Staging":
        """Make the folder, and a folder for each group of files."""
        for name, value in vars(type(self)).items():
            if isinstance(value, _Group):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        return self

    def clear(self) -> None:
        """Delete all staged files."""
        shutil.rmtree(self.folder)
        self.create()

    def edge_chunks(self) -> Iterator[tuple[I32, I32]]:
        """Yield all edges as chunks: two arrays of places, src and dst."""
        for path in self.edges.all():
            edges = open_array(path)
            for start in range(0, edges.shape[1], CHUNK):
                yield edges[0, start : start + CHUNK], edges[1, start : start + CHUNK]


Mapped = np.memmap[Any, np.dtype[Any]]


def create_array(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Mapped:
    """Create an array in a file, filled with zeros; raise OSError if the disk is full.

    The disk space is allocated at once. Writing to a hole of a sparse file would kill the process,
    without any message, once the disk is full.
    """
    array = np.lib.format.open_memmap(path, "w+", dtype, shape)
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, max(path.stat().st_size, 1))
    return array


def open_array(path: Path, mode: Literal["r", "r+"] = "r") -> Mapped:
    """Return the array that a file contains, memory-mapped."""
    array: Mapped = np.load(path, mmap_mode=mode)
    return array


def write_stream(path: Path, table: pa.Table) -> None:
    """Write an Arrow table to a staged file."""
    with pa.ipc.new_stream(str(path), table.schema) as out:
        out.write_table(table)


def stream_writer(path: Path, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
    """Open a compressed staged file, to write rows with this schema."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    return pa.ipc.new_stream(str(path), schema, options=options)


def read_stream(path: Path) -> pa.Table:
    """Return all rows of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        return reader.read_all()


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        yield from reader


def read_schema(path: Path) -> pa.Schema:
    """Return the schema of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        return reader.schema
