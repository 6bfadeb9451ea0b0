"""Names for what was found, in the order of an answer; or how much it is, by table and by op."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import (
    ATTRIBUTES,
    DEPTH,
    DST,
    ITEM,
    ITEMS,
    OP,
    SRC,
    TABLE,
    TRIPLE,
    TRIPLES,
)
from provhouse.store.names import Names

from .answer import Counts
from .found import Found

_TEXT = pa.string()
NO_ROWS = (
    pa.schema([(ITEM, _TEXT), (TABLE, _TEXT), (DEPTH, pa.int32())]).empty_table(),
    pa.schema([(name, _TEXT) for name in TRIPLE]).empty_table(),
)
"""No items and no triples."""


def named(found: Found, names: Names) -> tuple[pa.Table, pa.Table]:
    """Items by depth, then name; triples by depth of the near end, src, dst, op, attributes."""
    src, dst = (np.asarray(found.triples[end], dtype=np.int64) for end in (SRC, DST))
    every = np.unique(np.concatenate([found.items, src, dst]))
    texts, tables = names.described(every)  # all at once: most are wanted several times
    at = pa.array(np.searchsorted(every, found.items))
    items = pa.table({ITEM: texts.take(at), TABLE: tables.take(at), DEPTH: found.depths})
    attributes = found.triples[ATTRIBUTES]
    triples = pa.table(
        {
            SRC: texts.take(pa.array(np.searchsorted(every, src))),
            DST: texts.take(pa.array(np.searchsorted(every, dst))),
            OP: found.triples[OP],
            ATTRIBUTES: pc.if_else(pc.equal(attributes, ""), "{}", attributes),
            DEPTH: found.near,
        }
    )
    keys = [(key, "ascending") for key in (DEPTH, SRC, DST, OP, ATTRIBUTES)]
    by_name = [(DEPTH, "ascending"), (ITEM, "ascending")]
    return items.sort_by(by_name), triples.sort_by(keys).drop_columns([DEPTH])


def counted(found: Found, names: Names) -> Counts:
    """The same by table and by op; no name is looked up."""
    items = pa.table({TABLE: names.tables(found.items), DEPTH: found.depths})
    tables = items.group_by(TABLE).aggregate([(DEPTH, how) for how in ("count", "min", "max")])
    tables = tables.select([TABLE, "depth_count", "depth_min", "depth_max"])
    ops = found.triples.group_by(OP).aggregate([([], "count_all")]).select([OP, "count_all"])
    return Counts(
        tables.rename_columns([TABLE, ITEMS, "nearest", "farthest"]).sort_by(
            [("nearest", "ascending"), (TABLE, "ascending")]
        ),
        ops.rename_columns([OP, TRIPLES]).sort_by([(TRIPLES, "descending"), (OP, "ascending")]),
    )
