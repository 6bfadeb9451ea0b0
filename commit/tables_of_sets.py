"""The item tables of sets, as written to the nodes of sets in Neo4j."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import ItemNumbers, SetPositions, among, expand_ranges
from provhouse.model.columns import SET, TABLE, TABLES_OF
from provhouse.store.tables.snapshot import Snapshot

from .few import few_of_each


def tables_of(snapshot: Snapshot, sets: SetPositions, new: pa.Table) -> pa.Array:
    """Return the item tables of each set, or null for a set whose item tables Neo4j already has.

    The item tables of a set never change, so they are needed only for a set that may lack a node.
    """
    ids, born = snapshot.set_ids[sets], np.asarray(new[SET])
    mine = among(ids, born)
    lists = few_of_each(new[TABLES_OF]).take(pa.array(np.searchsorted(born, ids), mask=~mine))
    without = np.flatnonzero(~mine & ~snapshot.set_nodes[sets])
    if not len(without):
        return lists
    looked_up = few_of_each(
        pa.chunked_array([_tables_by_names(snapshot, SetPositions(sets[without]))])
    )
    at = np.full(len(sets), -1)
    at[without] = np.arange(len(without))
    return pc.coalesce(lists, looked_up.take(pa.array(at, mask=at < 0)))


def _tables_by_names(snapshot: Snapshot, sets: SetPositions) -> pa.ListArray:
    """Return the item tables of a few sets by looking up the tables of all their items.

    For a few sets, this is faster than reading the stored table ``sets``.
    """
    count = snapshot.set_items[sets]
    items = ItemNumbers(expand_ranges(snapshot.set_firsts[sets], count))
    owner = np.repeat(np.arange(len(sets)), count)
    rows = pa.table({SET: owner, TABLE: snapshot.names.tables(items)})
    rows = rows.group_by([SET, TABLE], use_threads=False).aggregate([])
    lists = rows.group_by(SET, use_threads=False).aggregate([(TABLE, "list")]).sort_by(SET)
    found: pa.ListArray = lists[f"{TABLE}_list"].combine_chunks()
    return found
