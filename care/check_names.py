"""Names: as many as there are items, and each leads to its number and back."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, among
from provhouse.store.names.names import Span, both_file, look_up, pair
from provhouse.store.tables.snapshot import Snapshot

from .report import ERASE_AGAIN, RESTORE_FOLDER, Damage

CHUNK = 1 << 17
"""Names that are looked up at once."""


def name_damages(snapshot: Snapshot, counts: Counter[str], *, deep: bool) -> Iterator[Damage]:
    """The look-ups and the segments of each ingest have all its items."""
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
        hashed, offsets = look_up(folder, span.ingest)
        for kind, found in (("hash", len(hashed)), ("offset", len(offsets))):
            if not span.items - nameless <= found <= span.items:  # those of erased items go
                wanted = f"The look-up {kind} should have {span.items:,} names"
                yield Damage(where, wanted, f"It has {found:,}", RESTORE_FOLDER)
                return
        for first in range(span.first, span.first + span.items, CHUNK) if deep else ():
            count = min(CHUNK, span.first + span.items - first)
            yield from _round_trip_damages(snapshot, where, np.arange(first, first + count))
        if deep:
            yield from _erased_damages(snapshot, where, span)
    except (OSError, ValueError, IndexError, pa.ArrowException) as error:
        wanted = f"The names should be readable in {folder}"
        yield Damage(where, wanted, f"They are not: {str(error).splitlines()[0]}", RESTORE_FOLDER)


def _round_trip_damages(snapshot: Snapshot, where: str, numbers: I64) -> Iterator[Damage]:
    numbers = numbers[~among(numbers, snapshot.names.erased)]
    names = snapshot.names.names(numbers)
    found = snapshot.names.locate(names)
    wrong = np.flatnonzero(found != numbers)
    if len(wrong):
        wanted = f"The name of item {numbers[wrong[0]]} should lead back to it"
        yield Damage(where, wanted, f"{len(wrong):,} names do not", RESTORE_FOLDER)


def _erased_damages(snapshot: Snapshot, where: str, span: Span) -> Iterator[Damage]:
    """No segment has the name of an erased item, and no look-up leads to one."""
    every = snapshot.names.erased
    erased = every[_inside(every, span)]
    if not len(erased):
        return
    held = len(erased) - snapshot.names.stored(erased).null_count
    if held:
        wanted = f"The name of item {erased[0]} and of all others that were erased should be gone"
        yield Damage(where, wanted, f"{held:,} names are there", ERASE_AGAIN)
    folder = snapshot.layout.names(snapshot.commit.base)
    _, offsets = look_up(folder, span.ingest)
    leading = int(among(offsets.astype(np.int64) + span.first, erased).sum())
    if leading:
        wanted = "No entry of the look-up should lead to an item that was erased"
        yield Damage(where, wanted, f"{leading:,} do", ERASE_AGAIN)
    older = [path.name for path in pair(folder, span.ingest) if path.exists()]
    if older and (folder / both_file(span.ingest)).exists():
        wanted = f"A look-up that was written anew should be {both_file(span.ingest)} alone"
        yield Damage(where, wanted, f"{older[0]} is there too", ERASE_AGAIN)


def _inside(items: I64, span: Span) -> Bools:
    inside: Bools = (items >= span.first) & (items < span.first + span.items)
    return inside
