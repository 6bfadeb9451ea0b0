"""List the distinct ops, attribute keys, or values of an attribute, and count their triples.

Partitions are read one at a time. Counts that do not fit in memory are written to a temporary
folder as sorted runs, which are merged while the caller reads the values.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, ItemNumbers, among
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC
from provhouse.model.errors import UsageError
from provhouse.model.progress import Progress, Silent
from provhouse.model.question import AsOf
from provhouse.runtime.scratch import scratch
from provhouse.store.tables.group_counts import count_uses
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import touching
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.layout import Layout

from ..as_of import commit_as_of
from ..lineage.row_filters import has_key

RUN_BYTES = 64 << 20
"""The approximate size of the counts in memory."""
_BATCH = 1 << 14
_KEY = f"{ATTRIBUTES}."
_SCHEMA = pa.schema([("value", pa.string()), ("triples", pa.int64())])

Count = tuple[str, int]
"""A value, and the number of triples with this value."""


@dataclass(frozen=True)
class ValueCount:
    """A value, and the number of triples that have it."""

    value: str
    triples: int


@dataclass(frozen=True)
class Values:
    """The first values of ops or attributes, sorted."""

    of: str
    values: tuple[ValueCount, ...]
    more: int
    """The number of values that are not listed."""
    generation: int
    time: str


def first_values(snapshot: Snapshot, of: str, limit: int, contains: str | None = None) -> Values:
    """Return the first values of a generation. Raises the errors of ``count_values``."""
    commit, layout = snapshot.commit, snapshot.layout
    as_of = commit.generation
    with count_values(layout, of, Silent(), contains=contains, as_of=as_of) as counts:
        first = tuple(ValueCount(*each) for each in islice(counts, limit))
        more = sum(1 for _ in counts)
    return Values(of, first, more, as_of, commit.time)


@contextmanager
def count_values(
    layout: Layout,
    of: str,
    progress: Progress,
    *,
    contains: str | None = None,
    as_of: AsOf | None = None,
) -> Iterator[Iterator[Count]]:
    """Open the counts of the values of ``op``, ``attributes`` (the keys) or ``attributes.KEY``.

    Only values that contain the string ``contains`` are counted. Triples of erased items are not
    counted. Raises UsageError for any other ``of``, and the errors of ``commit_as_of``.
    """
    _check(of)
    commit = commit_as_of(layout, as_of)
    with pinned(layout, commit), scratch("values") as folder:
        snapshot = Snapshot(layout, commit)
        progress.begin("Read the triples")
        runs = _Runs(Path(folder))

        def collect() -> None:
            runs.clear()  # after an erasure, the count starts again
            for table in _counts(snapshot, of, progress):
                runs.add(_matching(table, contains))

        snapshot.names.settled(collect)
        yield runs.merged()


def _check(of: str) -> None:
    if of not in (OP, ATTRIBUTES) and (not of.startswith(_KEY) or of == _KEY):
        raise UsageError(
            f"There are no values of {of!r} to list",
            "Only op, attributes (the keys) and attributes.KEY have values",
            "Run `provhouse list values attributes` to list the keys",
        )


def _counts(snapshot: Snapshot, of: str, progress: Progress) -> Iterator[pa.Table]:
    """Yield the values of each partition with their counts, unsorted."""
    column = OP if of == OP else ATTRIBUTES
    groups, erased = snapshot.groups, snapshot.erased_items
    uses = count_uses(snapshot, groups)
    for done, partition in enumerate(snapshot.partitions.tolist()):
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST, column))
        dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        kept = rows.filter(pa.array(~dead & ~touching(rows, erased)))
        texts = kept[column].combine_chunks().cast(pa.string())
        weights = _written_out(kept, groups, uses) if len(groups) else None
        yield _counted(texts, of, weights)
        progress.advance(done + 1, len(snapshot.partitions))


def _written_out(rows: pa.Table, groups: ItemNumbers, uses: I64) -> I64:
    """Return, for each stored triple, how many triples it stands for.

    A triple that leads to a group stands for one triple to each dst of the group. A triple that
    leads from a group counts as 0.
    """
    src, dst = (np.asarray(rows[end], np.int64) for end in (SRC, DST))
    weights = np.where(among(src, groups), 0, 1)
    into = among(dst, groups)
    weights[into] = uses[np.searchsorted(groups, dst[into])]
    return weights


def _distinct(texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    counted = texts.value_counts()
    return counted.field("values"), counted.field("counts")


def _weighted(texts: pa.Array, weights: I64) -> tuple[pa.Array, pa.Array]:
    """Return distinct strings with the sums of their weights, omitting strings whose sum is 0."""
    rows = pa.table({"text": texts, "weight": weights})
    sums = rows.group_by("text", use_threads=False).aggregate([("weight", "sum")])
    sums = sums.filter(pc.greater(sums["weight_sum"], 0))
    return sums["text"].combine_chunks(), sums["weight_sum"].combine_chunks()


def _counted(texts: pa.Array, of: str, weights: I64 | None = None) -> pa.Table:
    values, counts = _distinct(texts) if weights is None else _weighted(texts, weights)
    if of == OP:
        return pa.table([values, counts], schema=_SCHEMA)
    if of == ATTRIBUTES:
        keys = [list(json.loads(text or "{}")) for text in values.to_pylist()]
        lists = pa.array(keys, pa.list_(pa.string()))
        owners = pc.list_parent_indices(lists)
        return pa.table([pc.list_flatten(lists), counts.take(owners)], schema=_SCHEMA)
    pattern = has_key(of.removeprefix(_KEY)) + r'"(?P<value>(?:[^"\\]|\\.)*)"'
    found = pc.extract_regex(values, pattern)
    has = found.is_valid()
    plain = _plain(found.filter(has).field("value"))
    return pa.table([plain, counts.filter(has)], schema=_SCHEMA)


def _plain(texts: pa.Array) -> pa.Array:
    """Decode JSON strings that are given without their quotes."""
    escaped = pc.match_substring(texts, "\\")
    if not pc.any(escaped).as_py():
        return texts
    plain = [json.loads(f'"{text}"') for text in texts.filter(escaped).to_pylist()]
    return pc.replace_with_mask(texts, escaped, pa.array(plain, pa.string()))


def _matching(counts: pa.Table, contains: str | None) -> pa.Table:
    return counts.filter(pc.match_substring(counts["value"], contains)) if contains else counts


class _Runs:
    """Counts in memory, and sorted runs of counts in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.clear()

    def clear(self) -> None:
        """Discard all counts."""
        self._memory = _SCHEMA.empty_table()
        self._runs: list[Path] = []

    def add(self, counts: pa.Table) -> None:
        """Add counts; write a run if the counts in memory have become too large."""
        both = pa.concat_tables([self._memory, counts])
        summed = both.group_by("value", use_threads=False).aggregate([("triples", "sum")])
        self._memory = summed.rename_columns(["value", "triples"]).cast(_SCHEMA)
        if self._memory.nbytes > RUN_BYTES:
            path = self._folder / f"{len(self._runs)}.parquet"
            pq.write_table(self._sorted(), path)
            self._runs.append(path)
            self._memory = _SCHEMA.empty_table()

    def merged(self) -> Iterator[Count]:
        """Yield each value, sorted by code points, and its count."""
        parts = [*map(_read, self._runs), _rows(self._sorted().to_batches(_BATCH))]
        for value, same in groupby(merge(*parts, key=itemgetter(0)), itemgetter(0)):
            yield value, sum(count for _, count in same)

    def _sorted(self) -> pa.Table:
        return self._memory.sort_by("value")


def _read(path: Path) -> Iterator[Count]:
    with pq.ParquetFile(path) as file:
        yield from _rows(file.iter_batches(_BATCH))


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[Count]:
    for batch in batches:
        yield from zip(batch["value"].to_pylist(), batch["triples"].to_pylist(), strict=True)
