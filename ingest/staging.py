"""The staging folder: every file that the steps of one job hand to each other, by name.

Tasks in other processes read and write these files; the arrays among them are mapped, so that a
task pages in only what it looks at. The folder is deleted when the job ends.
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
"""Edges taken up at once by whoever passes over all of them."""


@dataclass(frozen=True)
class FileGroup:
    """Files of one kind, each named by one number or two."""

    folder: Path
    ending: str

    def __call__(self, *numbers: int) -> Path:
        """Return the path of the file with these numbers."""
        return self.folder / ("-".join(f"{number:06d}" for number in numbers) + self.ending)

    def all(self, *first: int) -> list[Path]:
        """Return the files that exist, in order; only those with these first numbers, if given."""
        prefix = "".join(f"{number:06d}-" for number in first)
        return sorted(self.folder.glob(f"{prefix}*{self.ending}"))


class _Group:
    """Makes a name of ``Staging`` a group of files in a folder of that name."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def __set_name__(self, owner: type, name: str) -> None:
        self._folder = name

    def __get__(self, staging: "Staging", owner: type) -> FileGroup:
        return FileGroup(staging.folder / self._folder, self._ending)


class _File:
    """Makes a name of ``Staging`` a file of that name."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, staging: "Staging", owner: type) -> Path:
        return staging.folder / (self._name + self._ending)


@dataclass(frozen=True)
class Staging:
    """The files of one job's staging folder.

    An input file, a bucket of names, a range of item numbers and a partition of a range each have
    a number from 0; the parameters of the groups are named after them.
    """

    folder: Path

    rows = _Group(".arrow")
    """(file): valid rows, with hashes for names."""
    rejects = _Group(".parquet")
    """(file): rejected rows."""
    names = _Group(".arrow")
    """(bucket, file): names as they were read, with their tables."""
    items = _Group(".arrow")
    """(bucket): distinct names in the order of their hashes."""
    item_hashes = _Group(".npy")
    """(bucket): the hashes of those."""
    hashes = _File(".npy")
    """The hash of each place."""
    tables = _File(".npy")
    """The table of each place, as a number."""
    stored = _File(".npy")
    """The number under which the warehouse stores each place's item; -1 if it is new."""
    edges = _Group(".npy")
    """(file): two rows of places, src and dst, in the order of the file's rows."""
    numbers = _File(".npy")
    """The item number of each place."""
    sets = _File(".arrow")
    """The new sets."""
    merges = _File(".arrow")
    """Stored components that new triples connect."""
    range_rows = _Group(".arrow")
    """(range, file): triples with item numbers."""
    range_names = _Group(".arrow")
    """(range, bucket): new names with their numbers."""
    lookups = _Group(".npz")
    """(bucket): hashes and offsets of new names."""
    partitions = _Group(".parquet")
    """(range, partition): the partitions of triples, as the warehouse will store them."""
    placements = _Group(".arrow")
    """(range): sets in partitions, numbered from 0 in each range."""
    dependencies = _Group(".arrow")
    """(range): dependencies between sets."""
    workflow = _Group(".arrow")
    """(range): dependencies between tables."""
    repeats = _Group(".arrow")
    """(range): all stored triples that came again."""
    new_assertions = _Group(".arrow")
    """(range): those of them whose origin did not stand for them before."""
    more_origins = _Group(".arrow")
    """(range): origins of new triples beside the first."""
    segments = _Group("")
    """Segments of names and their look-ups, as the warehouse will store them."""
    done = _File("")
    """How far each running task is."""

    def create(self) -> "Staging":
        """Make the folder, with a folder for each group of files."""
        for name, value in vars(type(self)).items():
            if isinstance(value, _Group):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        return self

    def clear(self) -> None:
        """Remove what was staged, to begin again."""
        shutil.rmtree(self.folder)
        self.create()

    def edge_chunks(self) -> Iterator[tuple[I32, I32]]:
        """All edges of an ingest, a chunk at a time."""
        for path in self.edges.all():
            edges = open_array(path)
            for start in range(0, edges.shape[1], CHUNK):
                yield edges[0, start : start + CHUNK], edges[1, start : start + CHUNK]


Mapped = np.memmap[Any, np.dtype[Any]]


def create_array(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Mapped:
    """A new array in a file of its own, zero throughout; raises OSError where the disk is full.

    Its room is taken at once: a file with holes ends the process, without a word, when a hole is
    written to and no room is left.
    """
    array = np.lib.format.open_memmap(path, "w+", dtype, shape)
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, max(path.stat().st_size, 1))
    return array


def open_array(path: Path, mode: Literal["r", "r+"] = "r") -> Mapped:
    """Return the array of a file, mapped."""
    array: Mapped = np.load(path, mmap_mode=mode)
    return array


def write_stream(path: Path, table: pa.Table) -> None:
    """Write a table as a file of its own."""
    with pa.ipc.new_stream(str(path), table.schema) as out:
        out.write_table(table)


def stream_writer(path: Path, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
    """Open a file for rows of this form, which are compressed."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    return pa.ipc.new_stream(str(path), schema, options=options)


def read_stream(path: Path) -> pa.Table:
    """All rows of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        return reader.read_all()


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The batches of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        yield from reader


def read_schema(path: Path) -> pa.Schema:
    """The columns of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        return reader.schema
