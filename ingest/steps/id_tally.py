"""Count the votes of row ids, in arrays indexed by id if the ids are dense, else by sorting."""

from collections.abc import Sequence

import numpy as np

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled

from .read_ids import BLOCK_BITS

_PER_BLOCK = 1 << 13
"""The smallest average number of row ids per block for which votes are counted in arrays.

A block takes half a megabyte, whatever the number of its row ids.
"""


Part = tuple[I32, I64, I32]
"""The table codes, ids and votes of row ids. Row ids may be repeated."""


def tallied(parts: Sequence[Part]) -> tuple[I32, I64, I64]:
    """Return distinct row ids, ordered by table and id, with the sum of each row id's votes."""
    most = sum(len(ids) for _, ids, _ in parts) // _PER_BLOCK
    known = np.full(4 << most.bit_length(), -1, np.int64)  # at most a quarter full
    code, block = np.empty(most, np.int32), np.empty(most, np.int64)
    count, sums = 0, np.zeros(0, np.int64)
    for codes, ids, votes in parts:
        count, sums = _count(codes, ids, votes, known, code, block, count, sums)
        if count < 0:
            return _sorted(parts)
    order = np.lexsort((block[:count], code[:count]))
    return _listed(code[order], block[order], sums, order)


def _sorted(parts: Sequence[Part]) -> tuple[I32, I64, I64]:
    codes, ids, few = (np.concatenate(column) for column in zip(*parts, strict=True))
    votes = few.astype(np.int64)
    order = np.lexsort((ids, codes)) if codes.any() else np.argsort(ids)
    codes, ids, votes = codes[order], ids[order], votes[order]
    new = np.ones(len(ids), bool)
    new[1:] = (ids[1:] != ids[:-1]) | (codes[1:] != codes[:-1])
    first = np.flatnonzero(new)
    if len(first) == len(ids):
        return codes, ids, votes
    return codes[first], ids[first], np.add.reduceat(votes, first)


@compiled()
def _count(
    codes: I32,
    ids: I64,
    votes: I32,
    known: I64,
    code: I32,
    block: I64,
    count: int,
    sums: I64,
) -> tuple[int, I64]:
    """Add votes; return the number of blocks so far, and the votes of every id in these blocks.

    ``block`` and ``code`` receive the number and the table of each new block. If both arrays are
    full, the returned number is -1. ``known`` is a hash table of the blocks; its entries are -1 at
    first.
    """
    most = len(block)
    last = (1 << BLOCK_BITS) - 1
    mask = len(known) - 1
    at, before_code, before = -1, np.int32(-1), np.int64(0)
    for row in range(len(ids)):
        number = ids[row] >> BLOCK_BITS
        if codes[row] != before_code or number != before:
            before_code, before = codes[row], number
            mixed = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(before_code)
            slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))
            while known[slot] >= 0 and (
                block[known[slot]] != number or code[known[slot]] != before_code
            ):
                slot = (slot + 1) & mask
            if known[slot] < 0:
                if count == most:
                    return -1, sums
                known[slot] = count
                code[count], block[count] = before_code, number
                count += 1
                if count << BLOCK_BITS > len(sums):
                    longer = np.zeros(min(2 * count, most) << BLOCK_BITS, np.int64)
                    longer[: len(sums)] = sums
                    sums = longer
            at = known[slot]
        sums[(at << BLOCK_BITS) + (ids[row] & last)] += votes[row]
    return count, sums


@compiled()
def _listed(code: I32, block: I64, sums: I64, order: I64) -> tuple[I32, I64, I64]:
    """Return the row ids that have votes, as their table codes, ids and votes.

    ``order`` has the positions of the blocks in ``sums``.
    """
    size = 1 << BLOCK_BITS
    total = 0
    for at in range(len(sums)):
        total += sums[at] > 0
    codes, ids = np.empty(total, np.int32), np.empty(total, np.int64)
    votes = np.empty(total, np.int64)
    count = 0
    for number in range(len(order)):
        start = order[number] << BLOCK_BITS
        for offset in range(size):
            if sums[start + offset]:
                codes[count] = code[number]
                ids[count] = (block[number] << BLOCK_BITS) + offset
                votes[count] = sums[start + offset]
                count += 1
    return codes, ids, votes
