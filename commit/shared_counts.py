"""Count the triples that shared derivations represent, when a generation is made.

The tables count a shared derivation with n inputs and m dst as n + m triples, but it represents n
times m triples.
"""

from dataclasses import replace
from itertools import chain

import numpy as np

from provhouse.model.arrays import ItemNumbers, PartitionNumbers, among
from provhouse.runtime.room import slices
from provhouse.store.tables.group_counts import groups_at, triples_beyond
from provhouse.store.tables.ranges import Ranges
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Beyond, Commit


def with_shared_counts(
    before: Snapshot | None, after: Snapshot, ended: Ranges, new: range
) -> Commit:
    """Return the commit record of ``after``, completed by the counts for shared derivations.

    ``ended`` are the triples of ``before`` that die, and ``new`` are the new partitions. Only
    groups that are the src or dst of dead or new triples are counted again.
    """
    if not len(after.groups):
        return replace(after.commit, beyond=Beyond())
    touched = groups_at(after, PartitionNumbers(np.array(new, np.int64)))
    total = was = left = 0
    if before:
        old = groups_at(before, ended.partitions, ended)
        known = (touched[rows] for rows in slices(len(touched)))
        again = (groups[among(groups, before.groups)] for groups in known)
        stored = ItemNumbers(after.room.distinct(chain(again, [old])))
        touched = ItemNumbers(after.room.distinct([touched, stored]))
        total = before.commit.beyond.total
        was, left = triples_beyond(before, stored), triples_beyond(before, stored, ended)
    now = triples_beyond(after, touched)
    return replace(after.commit, beyond=Beyond(total - was + now, now - left, was - left))
