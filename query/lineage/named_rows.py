"""Turn a method's result into the sorted, named rows of an answer, or into counts."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.answer import Counts
from provhouse.model.arrays import I32, I64, ItemNumbers, SetIds, distinct
from provhouse.model.columns import (
    ATTRIBUTES,
    DEPTH,
    DST,
    ITEM,
    ITEMS,
    OP,
    SET,
    SRC,
    TABLE,
    TRIPLES,
)
from provhouse.store.names.names import Names

from ..methods.method import MethodResult

SetsOf = Callable[[ItemNumbers], SetIds]
"""A function that returns, for each item, the id of its connected set."""

_TEXT = pa.string()
_CODED = pa.dictionary(pa.int32(), _TEXT)
_ITEMS = pa.schema([(ITEM, _CODED), (TABLE, _CODED), (DEPTH, pa.int32())])
_TRIPLES = pa.schema([(SRC, _CODED), (DST, _CODED), (OP, _TEXT), (ATTRIBUTES, _TEXT)])


def no_rows(*, sets: bool) -> tuple[pa.Table, pa.Table]:
    """Return the two tables of an answer, items and triples, both without rows."""
    items = _ITEMS.append(pa.field(SET, pa.int64())) if sets else _ITEMS
    return items.empty_table(), _TRIPLES.empty_table()


def name_rows(
    found: MethodResult, names: Names, sets_of: SetsOf | None = None
) -> tuple[pa.Table, pa.Table]:
    """Return the items and the triples of a result, with names and in the order of an answer.

    If ``sets_of`` is given, the items have a column with the ids of their sets. Items are ordered
    by depth, then name. Triples are ordered by the depth of their near ends, then by src, dst, op
    and attributes. Names are dictionary-encoded, and both Arrow tables share one dictionary.
    """
    src, dst = (np.asarray(found.triples[end], dtype=np.int64) for end in (SRC, DST))
    every, places = distinct(np.concatenate([found.items, src, dst]))
    item, src, dst = np.split(places, np.cumsum([len(found.items), len(src)]))
    # Look up all names at once, since most are needed several times.
    texts, tables = names.described(ItemNumbers(every))
    ranks = _ranks(texts)
    by_name = np.lexsort((ranks[item], found.depths))
    item = item[by_name]
    items = pa.table(
        {
            ITEM: coded(item, texts),
            TABLE: tables.take(pa.array(item)),
            DEPTH: found.depths[by_name],
        }
    )
    if sets_of:
        items = items.append_column(SET, pa.array(sets_of(ItemNumbers(every[item]))))
    op, attributes = (found.triples[name].combine_chunks() for name in (OP, ATTRIBUTES))
    attributes = pc.if_else(pc.equal(attributes, ""), "{}", attributes)
    op_ranks, attribute_ranks = _ranks_of_few(op), _ranks_of_few(attributes)
    order = np.lexsort((attribute_ranks, op_ranks, ranks[dst], ranks[src], found.near_depths))
    rows = pa.array(order)
    triples = pa.table(
        {
            SRC: coded(src[order], texts),
            DST: coded(dst[order], texts),
            OP: op.take(rows),
            ATTRIBUTES: attributes.take(rows),
        }
    )
    return items, triples


def coded(places: I64, texts: pa.Array) -> pa.DictionaryArray:
    """Return the strings of ``texts`` at the positions ``places``, with ``texts`` as dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), texts)


def _ranks(texts: pa.Array) -> I32:
    """Return the position of each string among all strings in sorted order."""
    ranks = np.empty(len(texts), np.int32)
    ranks[np.asarray(pc.sort_indices(texts))] = np.arange(len(texts), dtype=np.int32)
    return ranks


def _ranks_of_few(texts: pa.Array) -> I32:
    """Return the rank of each string; equal strings have equal ranks.

    This is fast if there are only a few distinct strings.
    """
    coded = texts.dictionary_encode()
    ranks: I32 = _ranks(coded.dictionary)[np.asarray(coded.indices)]
    return ranks


def count_rows(found: MethodResult, names: Names) -> Counts:
    """Count items by table and triples by op, without looking up any item name."""
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
