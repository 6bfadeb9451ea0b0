"""Names for what a method found, in the order of an answer."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.columns import ATTRIBUTES, DEPTH, DST, ITEM, OP, SRC, TABLE
from provhouse.store.names import Names

from .found import Found


def named(names: Names, item: int, found: Found) -> tuple[pa.Table, pa.Table]:
    """The items and the triples of an answer about ``item``."""
    every = np.union1d(found.items, [item])  # both ends of every triple are among these
    texts, tables = names.described(every)
    at = pa.array(np.searchsorted(every, found.items))
    items = pa.table({ITEM: texts.take(at), TABLE: tables.take(at), DEPTH: found.depths})
    return (
        items.sort_by([(DEPTH, "ascending"), (ITEM, "ascending")]),
        _triples(found, every, texts),
    )


def _triples(found: Found, every: I64, texts: pa.Array) -> pa.Table:
    src, dst = (np.searchsorted(every, np.asarray(found.triples[end])) for end in (SRC, DST))
    attributes = found.triples[ATTRIBUTES]
    triples = pa.table(
        {
            SRC: texts.take(pa.array(src)),
            DST: texts.take(pa.array(dst)),
            OP: found.triples[OP],
            ATTRIBUTES: pc.if_else(pc.equal(attributes, ""), "{}", attributes),
            DEPTH: found.near,
        }
    )
    keys = [(key, "ascending") for key in (DEPTH, SRC, DST, OP, ATTRIBUTES)]
    return triples.sort_by(keys).drop_columns([DEPTH])
