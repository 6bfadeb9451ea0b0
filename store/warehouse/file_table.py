"""The table of files: a number for each path, which no other path ever gets.

The table belongs to the warehouse, not to a generation: no rollback, compaction or prune changes
it. The name of each Parquet file in the folder ``files`` is the first number in the file. The rows
of an addition appear all at once, after ``ids.json`` has taken their numbers.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.errors import Damaged
from provhouse.runtime.storage import list_files, parquet_reader

from .added_rows import add_rows
from .ids import read_ids, take_file_numbers
from .layout import Layout

NUMBER, PATH = "number", "path"
FILES = pa.schema([(NUMBER, pa.int64()), (PATH, pa.string())])


def read_files(layout: Layout) -> pa.Table:
    """Return a table of all files that have numbers, in the order of numbers.

    Raises Damaged if it cannot be read.
    """
    found = [(path, path.stat()) for path in list_files(layout.files, "*.parquet")]
    return _rows_of(tuple((path, at.st_ino, at.st_mtime_ns, at.st_size) for path, at in found))


@lru_cache(maxsize=2)
def _rows_of(files: tuple[tuple[Path, int, int, int], ...]) -> pa.Table:
    """Return the rows of Parquet files in the given states, from a cache if they are unchanged.

    An ingest calls this several times for each state.
    """
    return pa.concat_tables([FILES.empty_table(), *(_read(path) for path, *_ in files)])


def numbers_of(layout: Layout, paths: pa.Array) -> I64:
    """Return, for each path, the number of its file, or -1 if the file has none."""
    known = read_files(layout)
    at = pc.index_in(paths, known[PATH])
    numbers: I64 = np.asarray(pc.fill_null(known[NUMBER].take(at), -1))
    return numbers


def add_files(layout: Layout, paths: pa.Array) -> None:
    """Give numbers to the files at these paths, which must be distinct and have none yet.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    known = read_files(layout)[NUMBER]
    last = known[-1].as_py() if len(known) else 0
    first = max(read_ids(layout).file, last + 1)  # ids.json may come from an older backup
    take_file_numbers(layout, first, len(paths))
    numbers = np.arange(first, first + len(paths))
    rows = pa.table({NUMBER: numbers, PATH: paths}, schema=FILES)
    newest = max(list_files(layout.files, "*.parquet"), default=None)
    add_rows(layout, layout.files / f"{first:016d}.parquet", newest, rows)


def _read(path: Path) -> pa.Table:
    try:
        with parquet_reader(path) as file:
            return file.read(FILES.names).cast(FILES)
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"Cannot read the table of files {path}",
            f"Reading it fails: {str(error).splitlines()[0]}",
            "Restore the file from a backup",
        ) from error
