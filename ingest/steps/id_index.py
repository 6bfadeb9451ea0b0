"""Find row ids among the distinct row ids of an ingest.

The ids of a table are divided into blocks. The ids of a block are at consecutive positions. A block
without gaps needs no search. A dense block has a bit for each possible id. All other blocks are
short enough to search.
"""

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import I32, I64, U64, Bools
from provhouse.model.compiled import compiled
from provhouse.runtime.storage import create_array, load_arrays, open_array, save_arrays

from ..staging import Staging
from .read_ids import BLOCK_BITS

_WORDS = 1 << (BLOCK_BITS - 6)
"""The number of 64-bit words that the bits of one block take."""
_DENSE = 1 << (BLOCK_BITS - 6)
"""The smallest number of ids in a dense block. Its bits then take at most 20 bytes for each id."""
_ONES, _TWOS, _FOURS = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F


def write_index(staging: Staging, bounds: list[tuple[int, I64]], tables: int) -> None:
    """Write the index of the row ids in ``staging.ids``.

    For each shard, ``bounds`` has the position of the shard's first row id, and the bounds of each
    table's row ids, counted from this position.
    """
    ids = np.asarray(open_array(staging.ids))
    found = [
        (code, *_blocks(ids, first + start, first + end))
        for first, each in bounds
        for code, (start, end) in enumerate(pairwise(each))
    ]
    code = np.concatenate([np.full(len(block), number) for number, block, _, _ in found])
    block, start, end = (np.concatenate([each[n] for each in found]) for n in (1, 2, 3))
    order = np.lexsort((block, code))
    block, start, end = block[order], start[order], end[order]
    first = ids[start]
    gaps = ids[end - 1] - first != end - start - 1
    dense = gaps & (end - start >= _DENSE)
    bits = np.where(dense, np.cumsum(dense) - 1, -1)
    words = np.asarray(create_array(staging.id_bits, np.uint64, (int(dense.sum()), 2, _WORDS)))
    _fill(ids, start[dense], end[dense], words)
    save_arrays(
        staging.id_blocks,
        tables=np.searchsorted(code[order], np.arange(tables + 1)),
        blocks=block,
        starts=start,
        ends=end,
        first=first,
        full=~gaps,
        bits=bits,
    )


def _blocks(ids: I64, at: int, end: int) -> tuple[I64, I64, I64]:
    """Return the number, the first position and the end of each block among ordered ids."""
    starts = _starts(ids, at, end)
    return ids[starts] >> BLOCK_BITS, starts, np.append(starts[1:], end)[: len(starts)]


@compiled()
def _starts(ids: I64, at: int, end: int) -> I64:
    """Return the first row of each block among the rows ``at`` to ``end``, whose ids are sorted."""
    count = 0
    for row in range(at, end):
        count += row == at or ids[row] >> BLOCK_BITS != ids[row - 1] >> BLOCK_BITS
    out = np.empty(count, np.int64)
    count = 0
    for row in range(at, end):
        if row == at or ids[row] >> BLOCK_BITS != ids[row - 1] >> BLOCK_BITS:
            out[count] = row
            count += 1
    return out


@compiled()
def _fill(ids: I64, starts: I64, ends: I64, words: U64) -> None:
    """Set the bits of dense blocks, and store for each word how many bits are set before it."""
    for number in range(len(starts)):
        for at in range(starts[number], ends[number]):
            offset = ids[at] & ((1 << BLOCK_BITS) - 1)
            words[number, 0, offset >> 6] |= np.uint64(1) << np.uint64(offset & 63)
        before = np.uint64(0)
        for word in range(_WORDS):
            words[number, 1, word] = before
            before += _ones(words[number, 0, word])


@compiled(inline=True)
def _ones(word: np.uint64) -> np.uint64:
    """Return the number of set bits in a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(_ONES))
    word = (word & np.uint64(_TWOS)) + ((word >> np.uint64(2)) & np.uint64(_TWOS))
    word = (word + (word >> np.uint64(4))) & np.uint64(_FOURS)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


class IndexArrays(NamedTuple):
    """The row ids in the order of their positions, and each table's blocks of ids.

    The blocks of table t are ``tables[t]`` to ``tables[t + 1] - 1``. The ids of a block are at the
    positions from ``starts`` to ``ends``; the position ``ends`` is excluded. If a block is
    ``full``, its ids are consecutive numbers from ``first`` on. Otherwise ``bits`` is the position
    of its bit map in ``words``, or negative if its ids must be searched.
    """

    known: I64
    words: U64
    tables: I64
    starts: I64
    ends: I64
    blocks: I64
    first: I64
    full: Bools
    bits: I64


class IdIndex:
    """An index that finds the positions of row ids in ``staging.ids``."""

    def __init__(self, staging: Staging) -> None:
        ids: I64 = np.asarray(open_array(staging.ids))
        words: U64 = np.asarray(open_array(staging.id_bits))
        self._index = IndexArrays(ids, words, **load_arrays(staging.id_blocks))

    @cached_property
    def _by_position(self) -> I64:
        return np.argsort(self._index.starts)

    def row_ids(self, positions: I64) -> tuple[I64, I32]:
        """Return the ids at the given positions, and the code of each id's table."""
        order = self._by_position
        block = order[np.searchsorted(self._index.starts[order], positions, "right") - 1]
        codes = np.searchsorted(self._index.tables, block, "right") - 1
        return self._index.known[positions], codes.astype(np.int32)

    def find(self, codes: I32, ids: I64) -> I64:
        """Return the position of each row id, or -1 if it is unknown.

        ``codes`` has the code of each row id's table, or -1 where ``ids`` does not have a row id.
        """
        found: I64 = _find(self._index, codes, ids)
        return found


@compiled()
def _find(index: IndexArrays, codes: I32, ids: I64) -> I64:
    """Return the place of each id, or -1. Consecutive ids mostly share a block, which is kept."""
    out = np.full(len(ids), -1, np.int64)
    code, block, at = np.int32(-1), np.int64(0), -1
    for row in range(len(ids)):
        if codes[row] < 0:
            continue
        wanted = ids[row]
        if codes[row] != code or wanted >> BLOCK_BITS != block:
            code, block = codes[row], wanted >> BLOCK_BITS
            at = _place(index.blocks, index.tables[code], index.tables[code + 1], block)
        if at < 0:
            continue
        if index.full[at]:
            place = index.starts[at] + wanted - index.first[at]
            out[row] = place if index.starts[at] <= place < index.ends[at] else -1
        elif index.bits[at] >= 0:
            offset = wanted & ((1 << BLOCK_BITS) - 1)
            word = index.words[index.bits[at], 0, offset >> 6]
            bit = np.uint64(1) << np.uint64(offset & 63)
            if word & bit:
                before = index.words[index.bits[at], 1, offset >> 6] + _ones(
                    word & (bit - np.uint64(1))
                )
                out[row] = index.starts[at] + np.int64(before)
        else:
            out[row] = _place(index.known, index.starts[at], index.ends[at], wanted)
    return out


@compiled(inline=True)
def _place(values: I64, low: int, high: int, wanted: np.int64) -> int:
    """Return the position of a value within a range of an ordered array, or -1."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and values[low] == wanted else -1
