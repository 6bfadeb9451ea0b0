"""Names: as many as there are items, and each leads to its number and back."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.store.names import Span
from provhouse.store.snapshot import Snapshot

from .report import Damage
from .tables import BACKUP

CHUNK = 1 << 17
"""Names that are looked up at once."""


def name_damages(snapshot: Snapshot, counts: Counter[str], *, deep: bool) -> Iterator[Damage]:
    """The look-ups and the segments of each ingest have all its items."""
    for span in snapshot.spans:
        if span.items:
            yield from _span(snapshot, span, deep)
    if deep:
        counts["names"] += sum(span.items for span in snapshot.spans)


def _span(snapshot: Snapshot, span: Span, deep: bool) -> Iterator[Damage]:
    where = f"names of ingest {span.ingest}"
    folder = snapshot.layout.names(snapshot.commit.base)
    try:
        for kind in ("hash", "offset"):
            found = len(np.load(folder / f"{span.ingest:08d}.{kind}.npy", mmap_mode="r"))
            if found != span.items:
                wanted = f"The look-up {kind} should have {span.items:,} names"
                yield Damage(where, wanted, f"It has {found:,}", BACKUP)
                return
        for first in range(span.first, span.first + span.items, CHUNK) if deep else ():
            count = min(CHUNK, span.first + span.items - first)
            yield from _back_and_forth(snapshot, where, np.arange(first, first + count))
    except (OSError, ValueError, IndexError, pa.ArrowException) as error:
        wanted = f"The names should be readable in {folder}"
        yield Damage(where, wanted, f"They are not: {str(error).splitlines()[0]}", BACKUP)


def _back_and_forth(snapshot: Snapshot, where: str, numbers: I64) -> Iterator[Damage]:
    names = snapshot.names.names(numbers)
    found = snapshot.names.locate(names)
    wrong = np.flatnonzero(found != numbers)
    if len(wrong):
        wanted = f"The name of item {numbers[wrong[0]]} should lead back to it"
        yield Damage(where, wanted, f"{len(wrong):,} names do not", BACKUP)
