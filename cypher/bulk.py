"""Write many rows with several concurrent writers that never touch the same node.

Two transactions that add relationships to the same node wait for each other, and may deadlock.
Therefore each node belongs to a bucket, and the rows are divided into parts by the buckets of the
nodes that they touch. Parts with a common bucket are written one after the other.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

WRITERS = 4
"""The number of transactions that are open at the same time."""
BUCKETS = 2 * WRITERS
"""The number of buckets. With this many, enough parts have no bucket in common."""
SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""A multiplier that spreads consecutive ids over the buckets."""
SEPARATOR = ", "
"""The separator of the strings of a list, which is sent to Neo4j as one string."""

ENDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "sets": (("Set", "id"),),
    "components": (("Component", "id"),),
    "dependencies": (("Set", "set"), ("Set", "derives_from")),
    "part_of": (("Set", "set"), ("Component", "component")),
}
"""For each large statement, the nodes that a row touches, as labels and columns of ids."""


@dataclass(frozen=True)
class BatchPart:
    """A part of the rows, and all buckets of the nodes that these rows touch."""

    buckets: frozenset[int]
    rows: pa.Table


@dataclass
class Queue:
    """The parts that remain to be written.

    A writer takes a part only if this part has no bucket in common with the parts that are being
    written.
    """

    parts: list[BatchPart]
    _taken: set[int] = field(default_factory=set)
    _changed: Condition = field(default_factory=Condition)

    def work(self, write: Callable[[pa.Table], object]) -> None:
        """Write parts until none is left. If a write fails, no writer begins another part."""
        try:
            while part := self._take():
                write(part.rows)
                with self._changed:
                    self._taken -= part.buckets
                    self._changed.notify_all()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Make each writer stop after the part that it is writing."""
        with self._changed:
            self.parts.clear()
            self._changed.notify_all()

    def _take(self) -> BatchPart | None:
        with self._changed:
            while self.parts:
                for part in self.parts:
                    if not part.buckets & self._taken:
                        self.parts.remove(part)
                        self._taken |= part.buckets
                        return part
                self._changed.wait()
        return None


def write_disjoint(name: str, rows: pa.Table, write: Callable[[pa.Table], object]) -> None:
    """Call ``write`` with parts of the rows, in several threads. Concurrent parts share no node."""
    queue = Queue(sorted(parts(name, rows), key=lambda part: -part.rows.num_rows))
    with ThreadPoolExecutor(WRITERS, thread_name_prefix="neo4j-writer") as pool:
        try:
            for future in [pool.submit(queue.work, write) for _ in range(WRITERS)]:
                future.result()
        except BaseException:
            queue.stop()
            raise


def parts(name: str, rows: pa.Table) -> Iterator[BatchPart]:
    """Yield the rows of a statement, divided by the buckets of the nodes that they touch.

    Within a part, the rows keep their order.
    """
    ends = ENDS[name]
    buckets = np.sort(np.stack([_buckets(label, rows[column]) for label, column in ends]), axis=0)
    codes = buckets[0] * (2 * BUCKETS) + buckets[-1]
    order = np.argsort(codes, kind="stable")
    found, starts = np.unique(codes[order], return_index=True)
    for code, places in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        yield BatchPart(frozenset(divmod(code, 2 * BUCKETS)), rows.take(pa.array(places)))


def _buckets(label: str, ids: pa.ChunkedArray) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the bucket of each node. No bucket contains both components and sets."""
    spread = np.asarray(ids).astype(np.uint64) * SPREAD
    own = (spread >> np.uint64(32)) % np.uint64(BUCKETS)
    return own.astype(np.int64) + (BUCKETS if label == "Component" else 0)


def as_text(lists: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return each list of strings as one string.

    Neo4j stores a short string together with its node or relationship, but every list in a separate
    block.
    """
    return pc.binary_join(lists.cast(pa.list_(pa.string())), SEPARATOR)


def parameters(rows: pa.Table) -> dict[str, object]:
    """Return the parameters of a statement: a list for each column.

    A column C of lists of strings becomes two parameters: C_texts contains each distinct list once,
    as one string, and C contains the position of each row's string in C_texts. This format reduces
    the time for sending to a third.
    """
    found: dict[str, object] = {}
    for name in rows.column_names:
        column = rows[name].combine_chunks()
        if pa.types.is_list(column.type) or pa.types.is_null(column.type):
            coded = as_text(column).dictionary_encode()
            found[f"{name}_texts"] = coded.dictionary.to_pylist()
            column = coded.indices
        found[name] = column.to_pylist()
    return found
