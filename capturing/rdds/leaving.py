"""Yield the records of a stage with their ids; Spark's Python workers run this module."""

import gc
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from pyspark.shuffle import get_used_memory

from .association_file import GROUP_BITS, AssociationFile
from .combining import Combiner
from .declared_keys import KeyOf, text_of
from .entering import BLOCK, Entering, Tap, spread

CHUNK = 1 << 10
"""The number of records that leave a stage in one chunk; a chunk is in memory as a whole."""


def plain(entering: Entering, records: Iterator[Any]) -> Iterator[Any]:
    """Yield records without ids."""
    chunk: list[Any] = [None]
    while chunk:
        chunk = list(islice(records, CHUNK))
        entering.slots()  # forget the records that have entered
        yield from chunk
    entering.close()


def tagged(
    entering: Entering, records: Iterator[Any], tap: Tap
) -> Iterator[tuple[Any, int | tuple[int, ...]]]:
    """Yield records with their slots: a number, or a tuple of numbers."""
    ended = False
    while not ended:
        ended = entering.pull(records, CHUNK)
        chunk = entering.leaving.copy()
        slots = spread(entering.slots(), tap.columns, tap.width, len(chunk))
        lists = [column.tolist() for column in slots]
        yield from zip(chunk, lists[0] if tap.width == 1 else zip(*lists, strict=True), strict=True)
    entering.close()


def written(
    entering: Entering,
    records: Iterator[Any],
    tap: Tap,
    ended: Callable[[tuple[int, str, int]], None],
    key: KeyOf | None,
) -> Iterator[Any]:
    """Yield the records that a task writes to its file, and write their slots in the same order.

    If a ``key`` is given, the keys of the records are also written. At the end, ``ended`` is called
    with the partition, the name of the association file, and the number of records.
    """
    file = AssociationFile(tap.folder, tap.width)
    partition, name = file.name()
    last = False
    while not last:
        last = entering.pull(records, BLOCK)
        chunk = entering.leaving.copy()
        slots = spread(entering.slots(), tap.columns, tap.width, len(chunk))
        if chunk:
            file.write(slots, [text_of(key(each)) for each in chunk] if key else None)
        yield from chunk
    entering.close()
    file.close(keep=False)
    ended((partition, name, file.rows))


def combined(
    entering: Entering,
    records: Iterator[Any],
    tap: Tap,
    combiner: Callable[[], Combiner],
    memory: int,
) -> Iterator[tuple[Any, Any]]:
    """Yield the combined records with the keys of their groups, and write the slots.

    If memory use exceeds ``memory`` megabytes, the results so far are yielded. A key may then be
    yielded again later, with further values.
    """
    found, file, base, limit, ended = combiner(), None, 0, memory, False
    while not ended:
        found.add(islice(records, BLOCK), entering.leaving)
        groups = np.array(entering.leaving, np.int64)
        ended = len(groups) < BLOCK
        slots = spread(entering.slots(), tap.columns, tap.width, len(groups))
        if len(groups):
            if file is None:
                file = AssociationFile(tap.folder, 1 + tap.width)
                base = file.reserve()
            file.write([groups + base, *slots])
        if ended:
            entering.close()
        # The next block may add BLOCK groups, and a group has GROUP_BITS bits in a key.
        full = get_used_memory() > limit or (len(found) + BLOCK) >> GROUP_BITS
        if file and (ended or full):
            file.close(keep=True)
            file = None
            yield from found.results(base)
            found = combiner()
            if not ended:
                gc.collect()
                # Python may keep freed memory; with the old limit, every block would be full.
                limit = max(memory, int(get_used_memory() * 1.05))
