"""Group rows into derivations, and find derivations that are the same.

A derivation is a set of rows with one dst that act together. A derivation is identified by its
content: dst, kind, and the src, op, attributes, value, times and role of each row. A label in the
input file only groups the rows of one ingest. Rows without a label are grouped if rows of their
kind act together. Module, invocation and execution describe a derivation, but do not distinguish
two derivations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, U64, Bools
from provhouse.model.columns import (
    ATTRIBUTES,
    DERIVATION,
    DST,
    INVOCATION,
    KIND,
    OP,
    ROLE,
    SRC,
    TIMES,
    VALUE,
    WAY,
)
from provhouse.model.derivations import KINDS

from .sort_keys import packed, sorted_by

ALONE = -1
"""The derivation number of a row that is in no derivation."""
SAID = (KIND, VALUE, TIMES, ROLE)
"""The columns that may distinguish two rows of a derivation, as a triple's own columns do."""
IDENTIFYING = (WAY, *SAID)
"""The stored columns that are null in a plain triple."""
_SEEDS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)


def codes(column: pa.ChunkedArray) -> I64:
    """Return a number for each value: equal numbers for equal values, and -1 for null."""
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    found: I64 = np.asarray(coded.indices.fill_null(-1), dtype=np.int64)
    return found


def said(rows: pa.Table) -> list[I64]:
    """Return the codes of the values in each column of ``SAID`` that ``rows`` has."""
    return [codes(rows[name]) for name in SAID if name in rows.column_names]


def row_contents(rows: pa.Table) -> I64:
    """Return a number for each row.

    Rows with equal src, dst, op, attributes and ``SAID`` columns share a number.
    """
    texts = [codes(rows[name]) for name in (OP, ATTRIBUTES)]
    return dense([*said(rows), *texts, _ints(rows, SRC), _ints(rows, DST)])


def groups(rows: pa.Table) -> I64:
    """Group rows into derivations by label or kind; return each row's group, or ``ALONE``."""
    none = np.full(rows.num_rows, ALONE)
    label, invocation = (
        codes(rows[name]) if name in rows.column_names else none
        for name in (DERIVATION, INVOCATION)
    )
    kind = np.asarray(rows[KIND].fill_null(ALONE), np.int64) if KIND in rows.column_names else none
    labelled = label >= 0
    joint = (kind >= 0) & (kind != KINDS["any"])
    op = np.where(labelled, ALONE, codes(rows[OP]))
    found = dense([np.where(labelled, ALONE, invocation), op, label, kind, _ints(rows, DST)])
    return np.where(labelled | joint, found, ALONE)


def derivations(rows: pa.Table, group: I64, *, labels_differ: bool) -> I64:
    """Return a number for the derivation of each row, or ``ALONE``.

    ``group`` is the result of ``groups``. Derivations with the same content get the same number. If
    ``labels_differ`` is true, derivations with different labels get different numbers. This is
    needed for rows from the warehouse, where an erasure may have made the contents of two
    derivations equal.
    """
    return group if labels_differ else same_contents(group, row_contents(rows))


def same_contents(group: I64, content: I64) -> I64:
    """Return a number for the group of each row, or ``ALONE`` for a row without a group.

    Groups whose rows have the same set of contents get the same number. ``group`` must number the
    groups from 0, with few gaps.
    """
    within = group >= 0
    found = np.full(len(group), ALONE)
    if not within.any():
        return found
    keys = (content[within], group[within])
    sortable = packed(keys)
    order = sorted_by(sortable)
    once = order[changes(sortable, order)]
    contents, grouped = keys[0][once], keys[1][once]
    first = np.flatnonzero(np.diff(grouped, prepend=-1))
    sums = [np.add.reduceat(_mixed(contents, seed), first).view(np.int64) for seed in _SEEDS]
    counts = np.diff(np.append(first, len(grouped)))
    # One in 2**127 pairs of different sets has both 64-bit sums equal by chance.
    same = dense([counts, *sums])
    of_group = np.empty(int(grouped[-1]) + 1, np.int64)
    of_group[grouped[first]] = same
    found[within] = of_group[group[within]]
    return found


def _mixed(values: I64, seed: int) -> U64:
    """Return a 64-bit hash of each number (splitmix64)."""
    mixed = (values.astype(np.uint64) + np.uint64(1)) * np.uint64(seed | 1) + np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    result: U64 = mixed ^ (mixed >> np.uint64(31))
    return result


def dense(keys: Sequence[I64]) -> I64:
    """Return a number from 0 for each row; rows with equal keys have the same number."""
    if not len(keys[0]):
        return np.empty(0, np.int64)
    sortable = packed(keys)
    order = sorted_by(sortable)
    found = np.empty(len(order), np.int64)
    found[order] = np.cumsum(changes(sortable, order)) - 1
    return found


def changes(keys: Sequence[I64], order: I64) -> Bools:
    """Return, for each row in ``order``, whether it differs from the row before it in any key."""
    differs = np.zeros(len(order), bool)
    differs[:1] = True
    for key in keys:
        differs[1:] |= np.diff(key[order]) != 0
    return differs


@dataclass(frozen=True)
class NextWays:
    """The sorted dst that have stored derivations, and the next free way of each dst."""

    dst: I64
    number: I64


NO_WAYS = NextWays(np.empty(0, np.int64), np.empty(0, np.int64))


def ways(dst: I64, derivation: I64, following: NextWays) -> I64:
    """Number the derivations of each dst; return the number of each row's derivation.

    It is -1 for a row in no derivation. The rows are ordered by dst. Numbers begin at the next free
    way of the dst in ``following``, or at 0.
    """
    found = np.full(len(dst), ALONE)
    rows = np.flatnonzero(derivation >= 0)
    if not len(rows):
        return found
    pair = dense([derivation[rows], dst[rows]])
    first = np.empty(int(pair.max()) + 1, np.int64)
    first[pair[::-1]] = np.arange(len(pair))[::-1]  # the first row of a pair is written last
    order = np.argsort(first)
    owner = dst[rows][first[order]]
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    number = np.arange(len(owner)) - np.repeat(begins, np.diff(np.append(begins, len(owner))))
    if len(following.dst):
        at = np.minimum(np.searchsorted(following.dst, owner), len(following.dst) - 1)
        number += np.where(following.dst[at] == owner, following.number[at], 0)
    by_pair = np.empty(len(order), np.int64)
    by_pair[order] = number
    found[rows] = by_pair[pair]
    return found


def plain(rows: pa.Table, columns: Iterable[str] = IDENTIFYING) -> Bools:
    """Return a mask of the rows whose values in ``columns`` are all null.

    With the default columns, these are the plain rows.
    """
    empty = np.ones(rows.num_rows, bool)
    for name in columns:
        if name in rows.column_names and rows[name].null_count < rows.num_rows:
            empty &= np.asarray(rows[name].is_null())
    return empty


def _ints(rows: pa.Table, name: str) -> I64:
    return np.asarray(rows[name], dtype=np.int64)
