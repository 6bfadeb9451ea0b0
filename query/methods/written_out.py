"""Write out the derivations that many dst share, as the triples that they stand for.

Such a derivation is stored as a group: triples lead from its inputs to the group, and from the
group to each dst. A question must answer as if a triple led from each input to each dst. The two
triples through a group count as one hop, and no answer shows a group.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools, ItemNumbers, among, expand_ranges, unique
from provhouse.model.columns import DST, SRC
from provhouse.model.question import Direction

from .method import MethodResult, near_and_far, src_and_dst

Fetch = Callable[[ItemNumbers], tuple[pa.Table, int]]
"""A function that returns the triples with the given near ends, and the number of
partitions read.
"""


def written_out(found: MethodResult, groups: ItemNumbers, direction: Direction) -> MethodResult:
    """Return the result with the triples of groups replaced by the triples that they stand for."""
    if not len(groups):
        return found
    src, dst = src_and_dst(found.triples)
    to, of = among(dst, groups), among(src, groups)
    if not (to.any() or of.any()):
        return found
    inputs, uses = _pairs(np.flatnonzero(to), np.flatnonzero(of), src, dst)
    plain = np.flatnonzero(~(to | of))
    near = uses if direction == "upstream" else inputs
    return replace(
        found,
        triples=_joined(found.triples, plain, inputs, uses),
        near_depths=found.near_depths[np.concatenate([plain, near])],
    )


def fetch_written_out(fetch: Fetch, groups: ItemNumbers, direction: Direction) -> Fetch:
    """Return a function like ``fetch`` that returns the triples for which groups stand."""

    if not len(groups):
        return fetch

    def through(items: ItemNumbers) -> tuple[pa.Table, int]:
        triples, read = fetch(items)
        far = near_and_far(triples, direction)[1]
        met = unique(far[among(far, groups)])
        if not len(met):
            return triples, read
        behind, more = fetch(ItemNumbers(met))
        both = pa.concat_tables([triples, behind]).combine_chunks()
        src, dst = src_and_dst(both)
        to, of = among(dst, groups), among(src, groups)
        inputs, uses = _pairs(np.flatnonzero(to), np.flatnonzero(of), src, dst)
        return _joined(both, np.flatnonzero(~(to | of)), inputs, uses), read + more

    return through


def without_dead_ends(near: I64, far: I64, to_group: Bools) -> Bools:
    """Return a mask of all triples except those that lead to a group without outgoing triples."""
    kept = ~to_group
    kept[to_group] = among(far[to_group], unique(near))
    return kept


def _pairs(to: I64, of: I64, src: ItemNumbers, dst: ItemNumbers) -> tuple[I64, I64]:
    """Return all pairs of a triple into a group and a triple from the same group.

    Triples are given by their rows; ``to`` and ``of`` are the rows of triples into and from groups.
    """
    to = to[np.argsort(dst[to], kind="stable")]
    low, high = (np.searchsorted(dst[to], src[of], side) for side in ("left", "right"))
    return to[expand_ranges(low, high - low)], np.repeat(of, high - low)


def _joined(triples: pa.Table, plain: I64, inputs: I64, uses: I64) -> pa.Table:
    """Return the rows ``plain``, and then a triple for each pair of an input and a use of a group.

    Except for its ends, the triple of a pair has the same columns as the input's triple.
    """
    src, dst = src_and_dst(triples)
    rows = pa.array(np.concatenate([plain, inputs]))
    ends = {
        SRC: np.concatenate([src[plain], src[inputs]]),
        DST: np.concatenate([dst[plain], dst[uses]]),
    }
    columns = {
        **ends,
        **{
            name: triples[name].combine_chunks().take(rows)
            for name in triples.column_names
            if name not in ends
        },
    }
    return pa.table(columns).cast(triples.schema)
