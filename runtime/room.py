"""Arrays of a process: in memory up to a limit, then in files that disappear with the arrays.

Such a file has no name, so that a killed process leaves no file behind. The file is memory-mapped:
the system writes its pages to disk when it needs their memory. Arrays in files are read and changed
like arrays in memory. However, the result of an operation on an entire array is in memory, so
``slices`` divides arrays into parts for such operations.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from weakref import finalize

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .free_memory import free_memory
from .storage import Array, mapped_file

MEGABYTE = 1 << 20
LEAST = 1 << 12
"""The minimum size in bytes of arrays in files: even a small file occupies this much."""
BLOCK = 1 << 16
"""The maximum number of values in a slice of an array."""


class Room:
    """The room for arrays that grow with the data.

    ``folder`` is the folder for files; without it, all arrays are in memory. ``megabytes`` limits
    the total size of this room's arrays in memory at any time; with 0, the limit is a quarter of
    the memory that is free when the room is first used. A copy in another process has its own
    limit.
    """

    def __init__(self, folder: Path | None = None, megabytes: int = 0) -> None:
        self._folder, self._megabytes = folder, megabytes
        self._limit: int | None = None
        self._used = 0

    def __reduce__(self) -> tuple[type["Room"], tuple[Path | None, int]]:
        return Room, (self._folder, self._megabytes)

    def empty(self, count: int, dtype: npt.DTypeLike) -> Array:
        """Return an uninitialized array; raise OSError if the disk is full."""
        size = count * np.dtype(dtype).itemsize
        if self.has(size):
            return self._counted(np.empty(count, dtype))
        with self._file() as file:
            return mapped_file(file, dtype, count)

    def zeros(self, count: int, dtype: npt.DTypeLike) -> Array:
        """Return an array of zeros; raise OSError if the disk is full."""
        found = self.empty(count, dtype)
        for rows in slices(count):
            found[rows] = 0
        return found

    def joined(self, parts: Iterable[Array], dtype: npt.DTypeLike) -> Array:
        """Return the concatenated values of all parts; compute one part at a time."""
        growing = Growing(self, dtype)
        for part in parts:
            growing.add(part)
        return growing.array()

    def distinct(self, parts: Iterable[Array]) -> Array:
        """Return the distinct values of all parts as 64-bit integers, in order."""
        found = self.joined(parts, np.int64)
        if not ascends(found):
            found.sort()

        def firsts() -> Iterator[Array]:
            for rows in slices(len(found)):
                some = found[max(rows.start - 1, 0) : rows.stop]
                new = np.flatnonzero(some[1:] != some[:-1]) + 1
                yield some[new if rows.start else np.append(0, new)]

        return self.joined(firsts(), np.int64)

    def tables(self, parts: Iterable[pa.Table]) -> list[pa.Table]:
        """Return Arrow tables; those that do not fit into memory are in mapped files.

        Only one table at a time is taken from ``parts``.
        """
        found, size = list[pa.Table](), 0
        for part in parts:
            size += part.nbytes
            found.append(part if self.has(size) else self._mapped(part))
        return found

    def _mapped(self, table: pa.Table) -> pa.Table:
        with self._file() as file:
            with pa.ipc.new_stream(pa.PythonFile(file, "w"), table.schema) as out:
                out.write_table(table)
            file.flush()
            content = mapped_file(file, np.uint8, file.tell())
        return pa.ipc.open_stream(pa.py_buffer(content)).read_all()

    def has(self, size: int) -> bool:
        """Return whether this number of additional bytes may be in memory."""
        if self._folder is None or size < LEAST:
            return True
        if self._limit is None:
            self._limit = self._megabytes * MEGABYTE or free_memory() // 4
        return self._used + size <= self._limit

    def _counted(self, array: Array) -> Array:
        if self._folder is not None:
            self._used += array.nbytes
            finalize(array, self._free, array.nbytes)
        return array

    def _free(self, size: int) -> None:
        self._used -= size

    def _file(self) -> IO[bytes]:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        return TemporaryFile(dir=self._folder)


MEMORY = Room()
"""A room without a folder, so that all its arrays are in memory."""


class Growing:
    """An array whose length is known only after all of its parts have been added."""

    def __init__(self, room: Room, dtype: npt.DTypeLike) -> None:
        self._room, self._dtype = room, np.dtype(dtype)
        self._parts: list[Array] = []
        self._file: IO[bytes] | None = None
        self._count = 0

    def __len__(self) -> int:
        """Return the number of values so far."""
        return self._count

    def add(self, part: Array) -> None:
        """Add values at the end; raise OSError if the disk is full."""
        part = np.ascontiguousarray(part, self._dtype)
        self._count += len(part)
        if self._file is None:
            self._parts.append(part)
            # Twice, since the parts stay in memory while ``array`` copies them.
            if self._room.has(2 * self._count * self._dtype.itemsize):
                return
            self._file = self._room._file()
            waiting, self._parts = self._parts, []
        else:
            waiting = [part]
        for each in waiting:
            self._file.write(each.view(np.uint8).data)

    def array(self) -> Array:
        """Return the array; ``add`` must not be called afterwards."""
        if self._file is not None:
            with self._file as file:
                file.flush()
                return mapped_file(file, self._dtype, self._count)
        found, at = self._room.empty(self._count, self._dtype), 0
        for part in self._parts:
            found[at : at + len(part)] = part
            at += len(part)
        self._parts = []
        return found


def slices(count: int) -> Iterator[slice]:
    """Yield slices that divide an array of this length into parts of at most ``BLOCK`` values."""
    return (slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK))


def ascends(values: Array) -> bool:
    """Return whether no value is less than the value before it."""
    return all(
        bool((some[1:] >= some[:-1]).all())
        for rows in slices(len(values))
        for some in [values[max(rows.start - 1, 0) : rows.stop]]
    )
