"""Scan all names piece by piece, in threads, so that few names are in memory at once."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import NAME
from provhouse.runtime.processes import usable_cores

from .erased import without_names
from .names import Names
from .segments import BATCH, SegmentReader

T = TypeVar("T")

_BATCHES = 64
"""The number of compressed batches of names that are scanned together as one piece."""


def scan(
    names: Names,
    select: Callable[[pa.Table, int], T],
    columns: Sequence[str] = (NAME,),
    most: int | None = None,
) -> Iterator[T]:
    """Yield the result of ``select`` for each piece, in the order of numbers.

    ``select`` receives an Arrow table with the given columns, and the item number of the table's
    first row. The other rows have consecutive numbers after it. The names of erased items are null.
    If ``most`` is given, stop after the piece that reaches this number of names.
    """
    threads = usable_cores()
    pieces = islice(_pieces(names), None if most is None else -(-most // (_BATCHES * BATCH)))
    made: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for path, batches, first in pieces:
            made.append(pool.submit(_select, select, path, batches, first, columns, names.erased))
            if len(made) > 2 * threads:
                yield made.popleft().result()
        yield from (each.result() for each in made)
    finally:
        pool.shutdown(cancel_futures=True)


def _pieces(names: Names) -> Iterator[tuple[Path, range, int]]:
    for first, path in names.files:
        batches = range(SegmentReader(path, ()).num_record_batches)
        for start in batches[::_BATCHES]:
            yield path, batches[start : start + _BATCHES], first + start * BATCH


def _select(
    select: Callable[[pa.Table, int], T],
    path: Path,
    batches: range,
    first: int,
    columns: Sequence[str],
    erased: ItemNumbers,
) -> T:
    reader = SegmentReader(path, columns)  # its own reader, which is not thread-safe
    rows = pa.Table.from_batches([reader.get_batch(number) for number in batches])
    gone = erased[(erased >= first) & (erased < first + rows.num_rows)] - first
    if len(gone):
        at = rows.column_names.index(NAME)
        shown = without_names(rows[NAME], np.isin(np.arange(rows.num_rows), gone))
        rows = rows.set_column(at, NAME, shown)
    return select(rows, first)
