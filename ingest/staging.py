"""The staging folder, with the files that the steps of a job pass to later steps.

Tasks in other processes read and write these files with the functions of ``runtime/storage.py``.
The folder is deleted when the job ends.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.runtime.room import Room, slices
from provhouse.runtime.storage import has_file, list_files, open_array

CHUNK = 1 << 22
"""The largest number of rows in a pair of arrays that ``edge_chunks`` yields."""


@dataclass(frozen=True)
class FileGroup:
    """The files of one kind. The name of each file consists of one or two numbers."""

    folder: Path
    ending: str

    def __call__(self, *numbers: int) -> Path:
        """Return the path of the file that ``numbers`` select."""
        return self.folder / ("-".join(f"{number:06d}" for number in numbers) + self.ending)

    def all(self, *first: int) -> list[Path]:
        """Return the existing files whose names begin with ``numbers``, in order."""
        prefix = "".join(f"{number:06d}-" for number in first)
        return list_files(self.folder, f"{prefix}*{self.ending}")


class _Group:
    """A group of files, declared as an attribute; their folder has the attribute's name."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def __set_name__(self, owner: type, name: str) -> None:
        self._folder = name

    def __get__(self, staging: "Staging", owner: type) -> FileGroup:
        return FileGroup(staging.folder / self._folder, self._ending)


class _File:
    """A file, declared as an attribute; it has the attribute's name."""

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
    numbered from 0. The description of a group of files begins with the numbers that select a file,
    for example "By range and file".

    The place of an item is the position of its name's hash among all hashes of the job. The places
    of items that occur only as row ids follow the places of all hashes.
    """

    folder: Path

    rows = _Group(".arrow")
    """By file: valid rows, with hashes instead of names."""
    rejects = _Group(".parquet")
    """By file: rejected rows."""
    names = _Group(".arrow")
    """By bucket and file: names as read, with their tables."""
    shared = _Group(".arrow")
    """By bucket and file: rows of shared derivations as read, with their labels."""
    group_hashes = _Group(".npy")
    """By bucket: the hashes of the names of groups."""
    items = _Group(".arrow")
    """By bucket: distinct names, in the order of their hashes."""
    item_hashes = _Group(".npy")
    """By bucket: the hashes of the distinct names."""
    hashes = _File(".npy")
    """The hashes of all names, ascending. The position of a hash here is the place of its item."""
    id_parts = _Group(".arrow")
    """By shard and file: row ids as read, each with the number of times that it occurs."""
    id_shards = _Group(".npy")
    """By shard and kind of array: distinct row ids, ordered by table and id, or their data."""
    ids = _File(".npy")
    """The distinct row ids of all shards, shard by shard."""
    id_blocks = _File(".npz")
    """The blocks of ``ids``, by table and id, which map a row id to its position in ``ids``."""
    id_bits = _File(".npy")
    """The bit maps of dense blocks."""
    id_places = _File(".npy")
    """The place of each row id's item; no such file if all row ids follow the names in order."""
    id_only = _File(".npy")
    """The positions in ``ids`` of items that occur only as row ids, in the order of places.

    The file is missing if all of ``ids`` occur only as row ids.
    """
    id_names = _Group(".npy")
    """By bucket: the two positions of each item that occurs both as a row id and as a name.

    The first array has the positions in ``ids``, the second the positions among the bucket's names.
    """
    tables = _File(".npy")
    """The table of each item, as a number, in the order of the items' places."""
    stored = _File(".npy")
    """The stored number of each item, or -1 for a new item, in the order of the items' places."""
    groups = _File(".npy")
    """The places of groups; missing if the input has no groups."""
    edges = _Group(".npy")
    """By file: the places of src and dst, as two arrays in the order of the file's rows."""
    cut_nodes = _File(".npy")
    """By place: the node of the new item, or of the stored item's component.

    This file and the other files of the cut exist only if the arrays did not fit in memory.
    """
    cut_roots = _File(".npy")
    """By node: the root of its component."""
    cut_items = _File(".npy")
    """By root: the component's count of new items; later, the number of the component's group."""
    cut_counts = _File(".npy")
    """By root: the number of edges in the component."""
    cut_homes = _File(".npy")
    """By place: the group of the item, and the item's position in the group."""
    cut_places = _File(".npy")
    """The places of all items, group by group."""
    cut_edges = _File(".npy")
    """Both ends of all edges, group by group, as positions within the group."""
    cut_sets = _Group(".npz")
    """By group: the set of each new item, and for each packing rule, the packed set of each set."""
    numbers = _File(".npy")
    """The number of each item, stored or new, in the order of the items' places."""
    sets = _File(".arrow")
    """The new sets."""
    merges = _File(".arrow")
    """The stored components that new triples connect."""
    range_rows = _Group(".arrow")
    """By range and file: triples, with item numbers."""
    range_names = _Group(".arrow")
    """By range and bucket: new names, with item numbers."""
    item_tables = _Group(".npy")
    """By bucket: the tables of the names, as numbers. Only a compaction stages these files."""
    lookups = _Group(".npz")
    """By bucket: the hashes of new names, and their item numbers minus the first new number."""
    sorted_ids = _Group(".npy")
    """By kind: row ids of new items and their offsets, by table.

    Kind 0 is unsorted, 1 is sorted.
    """
    partitions = _Group(".parquet")
    """By range and partition: partitions of triples, as the warehouse will store them."""
    placements = _Group(".arrow")
    """By range: the partitions that contain each set, numbered from 0 in each range."""
    dependencies = _Group(".arrow")
    """By range: dependencies between sets."""
    workflow = _Group(".arrow")
    """By range: dependencies between tables."""
    repeats = _Group(".arrow")
    """By range: stored triples that the input contains again."""
    new_assertions = _Group(".arrow")
    """By range: stored triples that an input file asserts for the first time."""
    more_origins = _Group(".arrow")
    """By range: the second and all further origins of new triples."""
    segments = _Group("")
    """Segments of names and their look-ups, as the warehouse will store them."""
    done = _File("")
    """The progress of each running task."""

    def create(self) -> "Staging":
        """Create the staging folder, and in it a folder for each group of files."""
        for name, value in vars(type(self)).items():
            if isinstance(value, _Group):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        return self

    def clear(self) -> None:
        """Delete all staged files."""
        shutil.rmtree(self.folder)
        self.create()

    def count_groups(self) -> int:
        """Return the number of groups in the input."""
        return len(open_array(self.groups)) if has_file(self.groups) else 0

    def new_groups(self, room: Room) -> I64:
        """Return the numbers of the groups that are not stored yet, in order."""
        numbers = open_array(self.numbers) if has_file(self.groups) else np.empty(0, np.int64)
        return room.distinct(numbers[places] for places in self._places_of_new_groups())

    def count_new_groups(self) -> int:
        """Return the number of groups that are not stored yet."""
        return sum(map(len, self._places_of_new_groups()))

    def _places_of_new_groups(self) -> Iterator[I32]:
        if has_file(self.groups):
            places, stored = open_array(self.groups), open_array(self.stored)
            for rows in slices(len(places)):
                yield places[rows][stored[places[rows]] < 0]

    def edge_chunks(self) -> Iterator[tuple[I32, I32]]:
        """Yield the places of the src and dst of all rows, as pairs of arrays."""
        for path in self.edges.all():
            edges = open_array(path)
            for start in range(0, edges.shape[1], CHUNK):
                yield edges[0, start : start + CHUNK], edges[1, start : start + CHUNK]
