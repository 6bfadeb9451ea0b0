"""Open the files of a warehouse in tasks: the only module through which tasks read and write them.

Today a task runs on the machine of the command, so a path is enough, and files are memory-mapped.
Of a warehouse at an address, partitions are fetched when they are first read (``bring``).
Executors on other machines would need other access to the same files; the code for it belongs only
in this module. Three rules keep such access possible:

- One task writes a file, from beginning to end. The file has another name until the task succeeds
  (``written_whole``), so an attempt that Spark abandoned never changes another attempt's file.
- A task reads only files that were complete before the task began, and its own files.
- Only the driver takes locks, makes hard links, moves other files and writes commit records.

Two kinds of files are opened by other modules. Delta's library opens the logs of tables itself
(``store/tables/delta_tables.py``), and ``ingest/formats`` opens the user's input files.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Mapped = np.memmap[Any, np.dtype[Any]]
Array = npt.NDArray[Any]
FileMark = tuple[int, int, int] | None
"""A value that changes when a file is replaced; None if the file is missing."""


_sources: dict[Path, Callable[[list[Path]], None]] = {}
"""For each folder with files that are fetched when they are first read, a function that fetches."""


@contextmanager
def fetching(folder: Path, fetch: Callable[[list[Path]], None]) -> Iterator[None]:
    """Fetch missing files of a folder by ``fetch`` when this process reads them in the block."""
    _sources[folder] = fetch
    try:
        yield
    finally:
        del _sources[folder]


def bring(paths: Iterable[Path]) -> None:
    """Fetch those files that are missing and can be fetched.

    The driver calls this before tasks read the files, since tasks cannot fetch any.
    """
    if not _sources:
        return
    missing = [path for path in paths if not path.exists()]
    for folder, fetch in _sources.items():
        if inside := [path for path in missing if path.is_relative_to(folder)]:
            fetch(inside)


class _Written:
    """The files that the task of this process has created; a Spark worker runs one task at a time.

    One object serves the whole process because files are created many calls below the function that
    Spark calls, and the code in between does not need this object.
    """

    def __init__(self) -> None:
        self.attempt = ""
        """The current attempt at a task; empty outside of ``written_whole``."""
        self.asides: dict[Path, Path] = {}
        """The current paths of the files that this attempt has created, by final path."""


_written = _Written()


@contextmanager
def written_whole(attempt: str) -> Iterator[None]:
    """Run one attempt at a task; its files appear only when it has succeeded.

    Until then, the names of its files begin with a dot and ``attempt``, a name that no other
    attempt may have. If two attempts succeed, one replaces the other's files with equal files,
    because tasks are deterministic.
    """
    _written.attempt = attempt
    try:
        yield
        for path, aside in _written.asides.items():
            aside.replace(path)
    except BaseException:
        for aside in _written.asides.values():
            with suppress(OSError):
                aside.unlink(missing_ok=True)
        raise
    finally:
        _written.attempt, _written.asides = "", {}


def path_to_write(path: Path) -> Path:
    """Return the path at which to create a file: a temporary path in a task, else the given one."""
    if not _written.attempt:
        return path
    return _written.asides.setdefault(path, path.with_name(f".{_written.attempt}-{path.name}"))


def _path_to_read(path: Path) -> Path:
    """Return the current path of a file: temporary if this attempt at a task created the file."""
    return _written.asides.get(path, path)


def create_array(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Mapped:
    """Create an array in a file, filled with zeros; raise OSError if the disk is full.

    All disk space is allocated immediately. Writing to a hole of a sparse file would kill the
    process, without any message, once the disk is full.
    """
    path = path_to_write(path)
    array = np.lib.format.open_memmap(path, "w+", dtype, shape)
    with path.open("r+b") as file:
        _allocate(file.fileno(), array.offset, array.nbytes)
    return array


def _allocate(handle: int, start: int, size: int) -> None:
    """Allocate disk space in an open file, for ``size`` bytes of zeros from ``start`` on.

    Raises OSError if the disk is full.
    """
    if not size:
        return
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, start, size)
        return
    zeros = bytes(1 << 20)  # macOS lacks the call: write the zeros instead
    for done in range(0, size, len(zeros)):
        os.pwrite(handle, zeros[: size - done], start + done)


def mapped_file(file: IO[bytes], dtype: npt.DTypeLike, count: int) -> Array:
    """Return an open file as an array of this length; the array outlives the open file.

    A file that is too short is extended. Raises OSError if the disk is full.
    """
    size = count * np.dtype(dtype).itemsize
    if not size:
        return np.empty(0, dtype)
    if os.fstat(file.fileno()).st_size < size:
        os.ftruncate(file.fileno(), size)
        _allocate(file.fileno(), 0, size)
    return np.asarray(np.memmap(file, dtype, "r+", shape=(count,)))


def open_array(path: Path) -> Mapped:
    """Return the array in a file, memory-mapped, so that only used parts are read."""
    array: Mapped = np.load(_path_to_read(path), mmap_mode="r")
    return array


def load_array(path: Path) -> Array:
    """Return the array in a file, read into memory."""
    array: Array = np.load(_path_to_read(path))
    return array


def save_array(path: Path, array: Array) -> None:
    """Write an array to a file."""
    np.save(path_to_write(path), array)


def save_arrays(path: Path, **arrays: Any) -> None:
    """Write named arrays to one file."""
    np.savez(path_to_write(path), **arrays)


def load_arrays(path: Path) -> Mapping[str, Array]:
    """Return the named arrays of a file; each array is read when it is first used."""
    arrays: Mapping[str, Array] = np.load(_path_to_read(path))
    return arrays


def write_stream(path: Path, table: pa.Table) -> None:
    """Write an Arrow table to a file."""
    with stream_writer(path, table.schema, compression=None) as out:
        out.write_table(table)


def stream_writer(
    path: Path, schema: pa.Schema, compression: str | None = "lz4"
) -> pa.ipc.RecordBatchStreamWriter:
    """Open a file to write rows with this schema."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    return pa.ipc.new_stream(str(path_to_write(path)), schema, options=options)


def read_stream(path: Path) -> pa.Table:
    """Return all rows of a file that ``stream_writer`` wrote."""
    with pa.ipc.open_stream(pa.memory_map(str(_path_to_read(path)))) as reader:
        return reader.read_all()


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a file that ``stream_writer`` wrote."""
    with pa.ipc.open_stream(pa.memory_map(str(_path_to_read(path)))) as reader:
        yield from reader


def read_schema(path: Path) -> pa.Schema:
    """Return the schema of a file that ``stream_writer`` wrote."""
    with pa.ipc.open_stream(pa.memory_map(str(_path_to_read(path)))) as reader:
        return reader.schema


def batch_writer(path: Path, schema: pa.Schema, level: int = 1) -> pa.ipc.RecordBatchFileWriter:
    """Open a file to write batches that can be read one by one, compressed with zstd."""
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=level))
    return pa.ipc.new_file(str(path_to_write(path)), schema, options=options)


def batch_reader(path: Path, fields: list[int]) -> pa.ipc.RecordBatchFileReader:
    """Open a file that ``batch_writer`` wrote, to read the columns whose indexes are ``fields``.

    The reader decompresses in the calling thread.
    """
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    return pa.ipc.open_file(pa.memory_map(str(_path_to_read(path))), options=options)


def map_batches(path: Path) -> pa.Buffer:
    """Return the memory-mapped content of a file that ``batch_writer`` wrote, for any thread.

    The content stays the same when the file is replaced.
    """
    with pa.memory_map(str(_path_to_read(path))) as file:
        return file.read_buffer()


def mapped_reader(content: pa.Buffer) -> pa.ipc.RecordBatchFileReader:
    """Return a reader of a file from ``map_batches``; it decompresses in the calling thread."""
    return pa.ipc.open_file(content, options=pa.ipc.IpcReadOptions(use_threads=False))


def parquet_reader(path: Path) -> pq.ParquetFile:
    """Open a Parquet file for reading, with verification of its checksums."""
    bring([path])
    return pq.ParquetFile(_path_to_read(path), page_checksum_verification=True)


def parquet_writer(path: Path, schema: pa.Schema, **options: Any) -> pq.ParquetWriter:
    """Open a Parquet file to write rows with this schema."""
    return pq.ParquetWriter(path_to_write(path), schema, **options)


def list_files(folder: Path, pattern: str) -> list[Path]:
    """Return the complete files of a folder that match a pattern, in the order of their names."""
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith("."))


def has_file(path: Path) -> bool:
    """Return whether a file exists."""
    return _path_to_read(path).exists()


def file_mark(path: Path) -> FileMark:
    """Return a value that changes when the file is replaced; None if it is missing."""
    try:
        found = _path_to_read(path).stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def file_size(path: Path) -> int:
    """Return the size of a file in bytes."""
    return _path_to_read(path).stat().st_size


def create_shared_numbers(path: Path, count: int) -> None:
    """Write a file with a zero for each task; the task changes it to show its progress."""
    np.zeros(count, np.int64).tofile(path)


def shared_number(path: Path, position: int) -> Array | None:
    """Return one number of a file from ``create_shared_numbers``, as an array of length 1.

    Changes to the array change the file. Returns None if the file is on another machine.
    """
    try:
        return np.memmap(path, np.int64, "r+", offset=8 * position, shape=(1,))
    except OSError:
        return None


def shared_numbers(path: Path) -> Array:
    """Return all numbers of a file that ``create_shared_numbers`` wrote."""
    return np.fromfile(path, np.int64)
