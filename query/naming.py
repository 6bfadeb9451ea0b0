"""Names for what was found, in the order of an answer; or how much it is, by table and by op."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
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
    items = pa.table(
        {
            ITEM: names.names(found.items),
            TABLE: names.tables(found.items),
            DEPTH: found.depths,
        }
    ).sort_by([(DEPTH, "ascending"), (ITEM, "ascending")])
    return items, _named_triples(found, names)


def _named_triples(found: Found, names: Names) -> pa.Table:
    src, dst = _numbers(found.triples, SRC), _numbers(found.triples, DST)
    distinct, at = np.unique(np.concatenate([src, dst]), return_inverse=True)
    texts = names.names(distinct)
    triples = pa.table(
        {
            SRC: texts.take(pa.array(at[: len(src)])),
            DST: texts.take(pa.array(at[len(src) :])),
            OP: found.triples[OP],
            ATTRIBUTES: pc.if_else(
                pc.equal(found.triples[ATTRIBUTES], ""), "{}", found.triples[ATTRIBUTES]
            ),
            DEPTH: found.near,
        }
    )
    keys = [(key, "ascending") for key in (DEPTH, SRC, DST, OP, ATTRIBUTES)]
    return triples.sort_by(keys).drop_columns([DEPTH])


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


def _numbers(triples: pa.Table, column: str) -> I64:
    return np.asarray(triples[column], dtype=np.int64)
