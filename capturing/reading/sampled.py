"""Leave out the slots of rows outside of a sample, so that these rows do not have lineage."""

from collections.abc import Iterator, Sequence

import numpy as np

from provhouse.model.arrays import I64, Bools
from provhouse.model.associations import NONE
from provhouse.store.tables.sampled_writes import SampledWrite
from provhouse.store.tables.written import Written

from .known import Known
from .output import Output

_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_STEP = 0x9E3779B97F4A7C15


def carried(output: Output) -> Iterator[tuple[int, I64]]:
    """Yield the pieces of ``Output.carried``, with ``NONE`` for rows outside of the sample.

    Every sample includes the first row that carries an id. Without this row, a write could be
    without lineage. It would then not make a generation, so answers could not mention the sample.
    """
    missing = True
    for first, slots in output.carried():
        if output.sample < 1:
            chosen = in_sample(first, slots.shape[1], output.sample)
            if missing:
                derived = np.flatnonzero((slots != NONE).any(axis=0))[:1]
                chosen[derived] = True
                missing = not len(derived)
            slots = np.where(chosen, slots, NONE)
        yield first, slots


def in_sample(first: int, count: int, part: float) -> Bools:
    """Return, for each of ``count`` rows from position ``first`` on, whether a sample includes it.

    This depends only on the hash of a row's position, so neither the order nor the values of rows
    affect the sample. The hash function is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    """
    mixed = np.arange(first + 1, first + count + 1).astype(np.uint64) * np.uint64(_STEP)
    for shift, factor in zip((30, 27), _MIX, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    # A double has 53 significant bits, so the hash gives 53 too.
    chosen: Bools = mixed >> np.uint64(11) < np.uint64(part * (1 << 53))
    return chosen


def sampled_writes(
    outputs: Sequence[Output], versions: Sequence[Written], known: Known
) -> list[SampledWrite]:
    """Return the samples of the writes that keep lineage for only part of their rows."""
    return [
        SampledWrite(each.table, each.version, output.sample, _read(output, known), each.after)
        for output, each in zip(outputs, versions, strict=True)
        if output.sample < 1
    ]


def _read(output: Output, known: Known) -> tuple[str, ...]:
    """Return the tables of all rows that a write may derive from, named as in item names."""
    write = output.write
    found = {rows.table for rows in output.marks.values()}
    writes = known.writes([source.state for source in write.sources])
    for source, written in zip(write.sources, writes, strict=True):
        moved = None if written else known.moved(source)
        found.add(written.table if written else moved.table if moved else source.table)
    for scan in write.keyed:
        places = known.at(scan.place) if scan.place else known.writes(scan.file_states)
        found |= {scan.table, *(each.table for each in places if each)}
    return tuple(sorted(found))
