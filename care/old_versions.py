"""Find the old versions of captured rows that no newer row derives from.

A version is old if its write is old, and a later write has replaced the entire table. An old
version is kept if a row that is kept derives from it. So if each night's rows derive from the rows
of the night before, the entire chain is kept.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, ItemNumbers, PartitionNumbers, among, minus, union, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.columns import DST, NAME, SRC, TABLE
from provhouse.model.times import parse_time
from provhouse.store.names.scan import scan
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.touching import partitions_touching
from provhouse.store.tables.written import Written, read_since
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.shown_writes import shown_writes

_VERSION, _ROW_ID = r"@(?P<number>\d{1,18})$", r"/(?P<number>\d{1,18})$"


@dataclass
class _Wanted:
    """The numbers at the end of one table's row names: versions or file numbers of writes."""

    versions: list[int] = field(default_factory=list)
    """The versions of writes with a key."""
    files: list[int] = field(default_factory=list)
    """The file numbers of writes that name their rows by row ids."""


def old_versions(snapshot: Snapshot, before: str) -> ItemNumbers:
    """Return the rows of old versions that can end, as sorted item numbers.

    ``before`` is a version, or a time in ISO 8601. A write is old if its version is lower, or if
    the generation that contains its lineage was committed earlier. Raises UsageError for any other
    string.
    """
    items = _items_of(snapshot, _replaced(snapshot, before))
    return _without_used(snapshot, items) if len(items) else items


def _replaced(snapshot: Snapshot, before: str) -> list[Written]:
    """Return the old writes whose table a later write has replaced."""
    layout = snapshot.layout
    writes = shown_writes(layout, snapshot.commit, read_since(layout, 0))
    is_old = _limit(layout, before)
    found, replaced = list[Written](), set[tuple[str, str]]()
    for write in reversed(writes):
        place = (write.table, write.path)
        if place in replaced and is_old(write):
            found.append(write)
        if write.path and write.replaces:
            replaced.add(place)
    return found


def _limit(layout: Layout, before: str) -> Callable[[Written], bool]:
    if before.isascii() and before.isdecimal():
        return lambda write: write.version < int(before)
    what = "--versions-before takes a version, or a time in ISO 8601"
    then, stored = parse_time(before, what, time.min), generations(layout)

    def is_old(write: Written) -> bool:
        # The write landed in this generation, or in an earlier one that was pruned.
        shown = stored[bisect_right(stored, write.after)]
        return datetime.fromisoformat(read_commit(layout, shown).time) < then

    return is_old


def _items_of(snapshot: Snapshot, writes: Sequence[Written]) -> ItemNumbers:
    """Return the items of all rows of the given writes, in ascending order."""
    wanted = defaultdict[str, _Wanted](_Wanted)
    for write in writes:
        if write.key:
            wanted[write.table].versions.append(write.version)
        else:
            wanted[write.table].files += write.files
    if not wanted:
        return ItemNumbers(np.empty(0, np.int64))
    found = scan(snapshot.names, lambda rows, first: _matching(rows, first, wanted), (NAME, TABLE))
    return ItemNumbers(np.concatenate([np.empty(0, np.int64), *found]))


def _matching(rows: pa.Table, first: int, wanted: Mapping[str, _Wanted]) -> I64:
    tables, names = (rows[column].combine_chunks().cast(pa.string()) for column in (TABLE, NAME))
    found = np.zeros(rows.num_rows, bool)
    for table, each in wanted.items():
        at = np.asarray(pc.indices_nonzero(pc.equal(tables, table)), np.int64)
        here = names.take(pa.array(at))
        found[at] |= np.isin(_number(here, _VERSION), each.versions)
        found[at] |= np.isin(_number(here, _ROW_ID) >> ROW_BITS, each.files)
    return first + np.flatnonzero(found)


def _number(names: pa.Array, pattern: str) -> I64:
    """Return the number at the end of each name; -1 if there is none."""
    found = pc.struct_field(pc.extract_regex(names, pattern), "number").cast(pa.int64())
    return np.asarray(found.fill_null(-1))


def _without_used(snapshot: Snapshot, items: ItemNumbers) -> ItemNumbers:
    """Return the largest subset of ``items`` from which no other item derives."""
    src, dst = _edges(snapshot, items)
    ending = union(items, src)
    while len(used := unique(src[~among(dst, ending)])):
        ending = ending[~among(ending, used)]
        left = ~among(src, used)
        src, dst = src[left], dst[left]
    return ItemNumbers(items[among(items, ending)])


def _edges(snapshot: Snapshot, items: ItemNumbers) -> tuple[I64, I64]:
    """Return src and dst of all live triples from ``items``, and of triples from their groups."""
    found, seen = [(np.empty(0, np.int64), np.empty(0, np.int64))], items
    while len(items):
        found += _triples_from(snapshot, items)
        dst = unique(np.concatenate([dst for _, dst in found]))
        items = ItemNumbers(minus(dst[among(dst, snapshot.groups)], seen))
        seen = ItemNumbers(union(seen, items))
    src, dst = (np.concatenate(column) for column in zip(*found, strict=True))
    return src, dst


def _triples_from(snapshot: Snapshot, items: ItemNumbers) -> Iterator[tuple[I64, I64]]:
    partitions: PartitionNumbers = partitions_touching(snapshot, items)
    for partition in partitions.tolist():
        rows = read_partition(snapshot.partition_path(partition), (SRC, DST))
        src, dst = (np.asarray(rows[end], np.int64) for end in (SRC, DST))
        at = np.flatnonzero(among(src, items))
        at = at[~snapshot.deaths.has(places(partition, at))]
        yield src[at], dst[at]
