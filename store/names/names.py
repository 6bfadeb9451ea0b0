"""Names of items: from a number to name and table, and from a name to its number, without Spark.

Each ingest adds segments, which only an erasure changes again. ``FIRST-INGEST.arrow`` holds names
and tables in the order of numbers, in small compressed batches, so that reading one name
decompresses one batch.
``INGEST.hash.npy`` holds the sorted hashes of the names and ``INGEST.offset.npy`` the number of
each less the ingest's first; both are mapped, and every hit is verified by the name itself. Where
an erasure took entries out, ``INGEST.both.npy`` holds the two instead, so that both change at once.
Names stand here and nowhere else, but for rejected rows. ``erased.npy`` holds the numbers of items
whose names were erased: whatever a segment may still say, they have none (``nameless.py``).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import Lock, local
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from cachetools import LRUCache

from provhouse.model.arrays import I64, U64, Bools, Column, among
from provhouse.model.columns import NAME, TABLE

from .hashing import hashes
from .spilled import spilled

BATCH = 1024
MANY = 1 << 18
"""More names than these are unpacked into a file instead of memory."""
ERASED = "erased.npy"
_NONE = pa.array([], pa.string())
T = TypeVar("T")
Mark = tuple[int, int, int] | None
_Key = tuple[str, int, tuple[str, ...]]
SCHEMA = pa.schema([(NAME, pa.string()), (TABLE, pa.dictionary(pa.int32(), pa.string()))])


@dataclass(frozen=True)
class Span:
    """The items that one ingest brought: ``items`` numbers from ``first`` on."""

    ingest: int
    first: int
    items: int


def names_file(first: int, ingest: int) -> str:
    """The file name of a segment that begins with item ``first``."""
    return f"{first:016d}-{ingest:08d}.arrow"


def write_names(path: Path, names: Column, tables: Column) -> None:
    """Write a segment; both columns in the order of numbers."""
    rows = pa.table({NAME: names, TABLE: tables}).cast(SCHEMA).unify_dictionaries()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA, options=options) as out:
        for batch in rows.combine_chunks().to_batches(BATCH):
            out.write_batch(batch)


def open_names(path: Path, columns: Iterable[str]) -> pa.ipc.RecordBatchFileReader:
    """A reader of a segment that unpacks these columns only, in the thread that asks it to."""
    fields = [SCHEMA.get_field_index(name) for name in columns]
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    return pa.ipc.open_file(pa.memory_map(str(path)), options=options)


def write_index(folder: Path, ingest: int, hashed: U64, offsets: npt.NDArray[np.uint32]) -> None:
    """Write the look-up from names to numbers of one ingest; ``hashed`` need not be sorted."""
    order = np.argsort(hashed, kind="stable")
    first, second = pair(folder, ingest)
    np.save(first, hashed[order])
    np.save(second, offsets[order])


def pair(folder: Path, ingest: int) -> tuple[Path, Path]:
    """The files of the look-up as an ingest writes it: hashes, and offsets."""
    return folder / f"{ingest:08d}.hash.npy", folder / f"{ingest:08d}.offset.npy"


def look_up(folder: Path, ingest: int) -> tuple[U64, npt.NDArray[np.uint32]]:
    """The sorted hashes of the names of one ingest, and the offset of each; both are mapped."""
    while True:
        with suppress(FileNotFoundError):
            both = np.load(folder / both_file(ingest), mmap_mode="r")
            count = 2 * len(both) // 3
            return both[:count], both[count:].view(np.uint32)[:count]
        try:
            hashed, offsets = (np.load(path, mmap_mode="r") for path in pair(folder, ingest))
            return hashed, offsets
        except FileNotFoundError:  # an erasure has come between
            if not (folder / both_file(ingest)).exists():
                raise


def both_file(ingest: int) -> str:
    """The file name of a look-up from which entries were taken: hashes, then pairs of offsets."""
    return f"{ingest:08d}.both.npy"


def erased_mark(folder: Path) -> Mark:
    """What is another whenever items of a base were erased; None if none ever was."""
    try:
        found = (folder / ERASED).stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def erased_in(folder: Path) -> I64:
    """The numbers of all erased items of a base, in order."""
    try:
        erased: I64 = np.load(folder / ERASED)
    except FileNotFoundError:
        return np.empty(0, np.int64)
    return erased


def without_names(names: Column, gone: Bools) -> pa.Array:
    """The names with nothing where they are gone."""
    return pc.if_else(pa.array(gone), pa.scalar(None, pa.string()), names)


class Names:
    """The names of the items that some ingests brought; those of erased items are null.

    The batches that were used last stay unpacked, up to ``kept`` bytes.
    """

    def __init__(self, folder: Path, spans: Iterable[Span], kept: int = 0) -> None:
        self._folder = folder
        self._spans = [span for span in spans if span.items]
        self._readers = local()  # threads can't share a reader
        self._kept: LRUCache[_Key, pa.RecordBatch] = LRUCache(kept, _size)
        self._lock = Lock()
        self._mark: Mark = None
        self._erased = np.empty(0, np.int64)
        self._look_up = cache(lambda ingest: look_up(folder, ingest))

    @cached_property
    def _segments(self) -> tuple[I64, list[str]]:
        visible = {span.ingest for span in self._spans}
        files = sorted(f.name for f in self._folder.glob("*-*.arrow"))
        kept = [f for f in files if int(f.split("-")[1].split(".")[0]) in visible]
        return np.array([int(f.split("-")[0]) for f in kept], np.int64), kept

    @property
    def files(self) -> list[tuple[int, Path]]:
        """The first number of each segment, and its file, in the order of numbers."""
        firsts, names = self._segments
        return [
            (first, self._folder / name) for first, name in zip(firsts.tolist(), names, strict=True)
        ]

    @property
    def erased(self) -> I64:
        """The numbers of all items of the base that are erased by now, in order.

        It is the same array until others are erased.
        """
        mark = erased_mark(self._folder)
        with self._lock:
            if mark != self._mark:
                self._mark, self._erased = mark, erased_in(self._folder)
            return self._erased

    def settled(self, ask: Callable[[], T]) -> T:
        """What is asked; asked again if something was erased meanwhile, and so half of it read.

        Texts are cleared only once ``erased.npy`` tells of it.
        """
        while True:
            erased = self.erased
            told = ask()
            if self.erased is erased:
                return told

    def names(self, numbers: I64) -> pa.Array:
        """The name of each item, in the order asked; an array of text."""
        return self._shown(numbers, self.stored(numbers))

    def stored(self, numbers: I64) -> pa.Array:
        """The same as the segments say, which may be behind."""
        return self._columns(numbers, NAME)[NAME].combine_chunks()

    def _shown(self, numbers: I64, names: pa.Array) -> pa.Array:
        erased = self.erased
        return without_names(names, among(numbers, erased)) if len(erased) else names

    def tables(self, numbers: I64) -> pa.Array:
        """The table of each item, empty where it has none, in the order asked."""
        return self._columns(numbers, TABLE)[TABLE].combine_chunks()

    def described(self, numbers: I64) -> tuple[pa.Array, pa.DictionaryArray]:
        """Name and table of each of these items, which are in order, distinct, and not erased.

        The names of very many items lie in a file.
        """
        tables: list[pa.Array] = []

        def names() -> Iterator[pa.Array]:
            for start in range(0, len(numbers), MANY):
                rows = self._columns(numbers[start : start + MANY], NAME, TABLE)
                tables.append(rows[TABLE].combine_chunks().dictionary_encode())
                yield rows[NAME].combine_chunks()

        texts = spilled(names()) if len(numbers) > MANY else pa.concat_arrays([_NONE, *names()])
        coded = pa.chunked_array(tables, pa.dictionary(pa.int32(), pa.string()))
        return texts, coded.unify_dictionaries().combine_chunks()

    def _columns(self, numbers: I64, *columns: str) -> pa.Table:
        distinct, back = numbers, None
        if (numbers[1:] <= numbers[:-1]).any():
            distinct, back = np.unique(numbers, return_inverse=True)
        fields = [SCHEMA.field(name) for name in columns]
        parts = [batch.take(pa.array(rows)) for batch, rows in self._batches(distinct, columns)]
        texts = pa.schema([(name, pa.string()) for name in columns])
        rows = pa.Table.from_batches(parts, pa.schema(fields)).cast(texts).combine_chunks()
        return rows if back is None else rows.take(pa.array(back))

    def _batches(
        self, numbers: I64, columns: tuple[str, ...]
    ) -> Iterator[tuple[pa.RecordBatch, I64]]:
        if not len(numbers):
            return
        firsts, files = self._segments
        segment = np.searchsorted(firsts, numbers, "right") - 1
        within = numbers - firsts[segment]
        block = within // BATCH
        starts = np.flatnonzero(
            np.diff(segment, prepend=-1).astype(bool) | np.diff(block, prepend=-1).astype(bool)
        )
        for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            batch = self._batch(files[segment[start]], int(block[start]), columns)
            yield batch, within[start:end] % BATCH

    def _batch(self, file: str, number: int, columns: tuple[str, ...]) -> pa.RecordBatch:
        key = (file, number, columns)
        with self._lock:
            batch = self._kept.get(key)
        if batch is None:
            batch = self._opened(file, columns).get_batch(number)
            with self._lock, suppress(ValueError):  # larger than all that may be kept
                self._kept[key] = batch
        return batch

    def _opened(self, file: str, columns: tuple[str, ...]) -> pa.ipc.RecordBatchFileReader:
        held = self._readers.__dict__
        key = " ".join((file, *columns))
        if key not in held:
            held[key] = open_names(self._folder / file, columns)
        return held[key]

    def locate(self, names: Column) -> I64:
        """The number of each name, -1 where it is not held."""
        found = np.full(len(names), -1, np.int64)
        wanted = hashes(names)
        for span in self._spans:
            self._locate_in(span, names, wanted, found)
        return found

    def _locate_in(self, span: Span, names: Column, wanted: U64, found: I64) -> None:
        known, offsets = self._look_up(span.ingest)
        at = np.searchsorted(known, wanted)
        rows = np.flatnonzero(found < 0)
        while len(rows):  # one round for each further name with the same hash
            rows = rows[at[rows] < len(known)]
            rows = rows[known[at[rows]] == wanted[rows]]
            numbers = span.first + offsets[at[rows]].astype(np.int64)
            same = pc.equal(self.names(numbers), names.take(pa.array(rows)))
            hit = np.asarray(pc.fill_null(same, False), dtype=bool)
            found[rows[hit]] = numbers[hit]
            rows = rows[~hit]
            at[rows] += 1


def _size(batch: pa.RecordBatch) -> int:
    return int(batch.nbytes)
