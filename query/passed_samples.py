"""Find the samples that an answer may pass through: writes with lineage for some rows only."""

from typing import Any

import numpy as np
import pyarrow.compute as pc

from provhouse.model.answer import Read
from provhouse.model.arrays import ItemNumbers, among, unique
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction
from provhouse.model.samples import Sample, sample_sentence
from provhouse.store.tables.snapshot import Snapshot


def samples_passed(
    snapshot: Snapshot, direction: Direction, *found: ItemNumbers
) -> tuple[Sample, ...]:
    """Return the samples that an answer with the given items may pass through, by version.

    Upstream, these are the samples of the items' tables: a row outside of the sample looks like a
    source. Downstream, these are the samples of writes that read one of the items' tables: rows
    that derive from the table may be missing. ``found`` includes the asked items.
    """
    if not snapshot.samples:
        return ()
    items = unique(np.concatenate(found))
    items = items[~among(items, snapshot.groups)]
    tables = {*pc.unique(snapshot.names.tables(ItemNumbers(items))).to_pylist()}
    return tuple(
        each.sample
        for each in snapshot.samples
        if not tables.isdisjoint((each.table,) if direction == "upstream" else each.reads)
    )


def common_fields(
    snapshot: Snapshot, watch: Stopwatch, read: Read, samples: tuple[Sample, ...]
) -> dict[str, Any]:
    """Return the fields that results of questions about one generation have in common."""
    return {
        "generation": snapshot.commit.generation, "time": snapshot.commit.time,
        "seconds": watch.total(), "complete": not samples, "read": read, "samples": samples,
    }  # fmt: skip


def samples_named(snapshot: Snapshot, item: str) -> list[Sample]:
    """Return the samples of the table that the name of an item begins with."""
    return [each.sample for each in snapshot.samples if item.startswith(f"{each.table}/")]


def sample_note(snapshot: Snapshot, item: str | None = None) -> str:
    """Return a sentence about samples, to add to the error of a search without a result.

    The sentence is empty if there are no samples. If ``item`` is given, only the samples of the
    item's table count. The item's name begins with the name of its table.
    """
    every = [each.sample for each in snapshot.samples]
    found = every if item is None else samples_named(snapshot, item)
    return f". {sample_sentence(found)}" if found else ""
