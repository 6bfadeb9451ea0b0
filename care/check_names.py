"""Check that every item has a name, and that looking up the name leads back to the item."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, ItemNumbers, among
from provhouse.store.names.id_lookup import read_ids
from provhouse.store.names.lookup import lookup_file, read_lookup
from provhouse.store.names.names import Span
from provhouse.store.names.old_lookup import old_lookup_files
from provhouse.store.names.versions import read_versions, version_hashes
from provhouse.store.tables.snapshot import Snapshot

from .damage_report import ERASE_AGAIN, RESTORE_FOLDER, Damage

CHUNK = 1 << 17
"""The number of names that are looked up at once."""


def name_damages(snapshot: Snapshot, counts: Counter[str], *, deep: bool) -> Iterator[Damage]:
    """Yield a `Damage` for each fault in the look-ups and name segments of the ingests."""
    for span in snapshot.spans:
        if span.items:
            yield from _span_damages(snapshot, span, deep)
    if deep:
        counts["names"] += sum(span.items for span in snapshot.spans)


def _span_damages(snapshot: Snapshot, span: Span, deep: bool) -> Iterator[Damage]:
    where = f"names of ingest {span.ingest}"
    folder = snapshot.layout.names(snapshot.commit.base)
    try:
        nameless = int(_inside(snapshot.names.erased, span).sum())
        found = len(read_lookup(folder, span.ingest)) + len(_row_ids(folder, span))
        # Erasures remove names from the look-ups.
        if not span.items - nameless <= found <= span.items:
            wanted = f"The look-up should have {span.items:,} names"
            yield Damage(where, wanted, f"It has {found:,}", RESTORE_FOLDER)
            return
        for first in range(span.first, span.first + span.items, CHUNK) if deep else ():
            count = min(CHUNK, span.first + span.items - first)
            yield from _round_trip_damages(
                snapshot, where, ItemNumbers(np.arange(first, first + count))
            )
        if deep:
            yield from _erased_damages(snapshot, where, span)
            yield from _version_damages(snapshot, where, span)
    except (OSError, ValueError, IndexError, pa.ArrowException) as error:
        wanted = f"The names in {folder} cannot be read"
        yield Damage(where, wanted, str(error).splitlines()[0], RESTORE_FOLDER)


def _round_trip_damages(snapshot: Snapshot, where: str, numbers: ItemNumbers) -> Iterator[Damage]:
    numbers = ItemNumbers(numbers[~among(numbers, snapshot.names.erased)])
    names = snapshot.names.names(numbers)
    found = snapshot.names.locate(names)
    wrong = np.flatnonzero(found != numbers)
    if len(wrong):
        wanted = f"The name of item {numbers[wrong[0]]} does not lead back to it"
        yield Damage(where, wanted, f"This is so for {len(wrong):,} names", RESTORE_FOLDER)


def _erased_damages(snapshot: Snapshot, where: str, span: Span) -> Iterator[Damage]:
    """Yield a `Damage` if names of erased items remain, or if a look-up leads to erased items."""
    every = snapshot.names.erased
    erased = ItemNumbers(every[_inside(every, span)])
    if not len(erased):
        return
    left = len(erased) - snapshot.names.stored(erased).null_count
    if left:
        wanted = "Names of erased items are left"
        found = f"{left:,} of {len(erased):,} erased items in this ingest still have a name"
        yield Damage(where, wanted, found, ERASE_AGAIN)
    folder = snapshot.layout.names(snapshot.commit.base)
    offsets = np.concatenate([read_lookup(folder, span.ingest).offsets(), _row_ids(folder, span)])
    leading = int(among(offsets + span.first, erased).sum())
    if leading:
        wanted = "The look-up has entries that lead to erased items"
        yield Damage(where, wanted, f"{leading:,} entries do", ERASE_AGAIN)
    older = [path.name for path in old_lookup_files(folder, span.ingest) if path.exists()]
    if older and (rewritten := lookup_file(folder, span.ingest)).exists():
        wanted = f"The look-up was rewritten as {rewritten.name}, but an old file is left"
        yield Damage(where, wanted, f"{older[0]} still exists", ERASE_AGAIN)


def _row_ids(folder: Path, span: Span) -> I64:
    """Return the offsets of the items whose names are stored as row ids."""
    known = read_ids(folder, span.ingest)
    return known.offsets().astype(np.int64) if known else np.empty(0, np.int64)


def _version_damages(snapshot: Snapshot, where: str, span: Span) -> Iterator[Damage]:
    """Yield a `Damage` if a look-up of versions leads to anything but versions of the name."""
    hashed, offsets = read_versions(snapshot.layout.names(snapshot.commit.base), span.ingest)
    numbers = ItemNumbers(offsets.astype(np.int64) + span.first)
    rows, bases = version_hashes(snapshot.names.stored(numbers))
    right = np.zeros(len(numbers), bool)
    right[rows] = bases == hashed[rows]
    if not right.all():
        wanted = "The versions of names have entries that lead to other items"
        yield Damage(where, wanted, f"{int((~right).sum()):,} entries do", ERASE_AGAIN)


def _inside(items: I64, span: Span) -> Bools:
    inside: Bools = (items >= span.first) & (items < span.first + span.items)
    return inside
