"""Write and read look-up files, which lead from hashes of names to the items of an ingest.

A look-up has an entry for each name, in the order of the hashes. Every hit is verified by comparing
the name, so an entry needs only a part of the hash. The first bits of a hash select a *bucket* of
32 to 64 entries, and an entry has the next 16 bits, its *mark*. With its item, an entry takes 5
bytes.

The file is an array of 16-bit words:

- three 64-bit numbers: the number of entries, the number of bits that select a bucket, and the
  number of bytes in the array of tops
- for each bucket and for the end, the position of its first entry (32 bits)
- the mark of each entry
- for each entry, the lowest 16 bits of its offset, which counts from the ingest's first item
- the *tops*: the other bits of the offsets, in as many bytes as the highest offset needs
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I64, U64, Bools
from provhouse.runtime.storage import Array, create_array, file_mark, open_array

from .old_lookup import AT_ONCE, OldLookup, read_old_lookup
from .pair_sort import Pairs

U16 = npt.NDArray[np.uint16]
MARK = 16
"""The number of bits of a mark."""
FEW = 32
"""The number of hashes up to which searching for one after the other is faster."""
MOST_BITS = 32
"""The highest number of bits that select a bucket."""
_HEAD = 12
"""The number of words of the three numbers at the beginning."""
_TOPS = {1: np.uint8, 2: np.uint16}
"""The types of tops, by their number of bytes."""


class Lookup:
    """The look-up in an array of words, which is normally memory-mapped.

    Raises ValueError if the length of the array does not agree with its first numbers.
    """

    def __init__(self, words: U16) -> None:
        if len(words) < _HEAD:
            raise ValueError(f"This is not a look-up: {len(words):,} words")
        head: list[int] = words[:_HEAD].view(np.uint64).tolist()
        self._count, self._bits, top = head
        if (
            self._bits > MOST_BITS
            or top > 2
            or len(words) != sum(_sizes(self._count, self._bits, top))
        ):
            raise ValueError(f"This is not a look-up: {len(words):,} words")
        ends = np.cumsum(_sizes(self._count, self._bits, top))
        _, starts, marks, low, tops = np.split(words, ends[:-1])
        self.starts = starts.view(np.uint32)
        self.marks, self.low = marks, low
        self.tops = tops.view(_TOPS[top])[: self._count] if top else None

    def __len__(self) -> int:
        return self._count

    def split(self, hashed: U64) -> tuple[I64, U16]:
        """Return the bucket and the mark of each hash."""
        bucket = (hashed >> np.uint64(64 - self._bits)).astype(np.int64)
        return bucket, (hashed >> np.uint64(64 - self._bits - MARK)).astype(np.uint16)

    def search(self, wanted: U64) -> I64:
        """Return for each hash the position of the first entry that it may have."""
        bucket, mark = self.split(wanted)
        low = self.starts[bucket].astype(np.int64)
        high = self.starts[bucket + 1].astype(np.int64)
        if len(wanted) <= FEW:
            ranges = zip(mark, low, high, strict=True)
            return np.array([bisect_left(self.marks, *each) for each in ranges], np.int64)
        while (open_ := low < high).any():
            middle = (low + high) >> 1
            less = self.marks[np.minimum(middle, self._count - 1)] < mark
            low = np.where(open_ & less, middle + 1, low)
            high = np.where(open_ & ~less, middle, high)
        return low

    def matches(self, at: I64, wanted: U64) -> Bools:
        """Return whether the entry at each position may be the entry of the hash."""
        bucket, mark = self.split(wanted)
        found: Bools = at < np.minimum(self.starts[bucket + 1], self._count)
        found[found] = self.marks[at[found]] == mark[found]
        return found

    def offsets(self, at: I64 | slice = slice(None)) -> I64:
        """Return the offsets of the items of these entries."""
        offsets = self.low[at].astype(np.int64)
        return offsets if self.tops is None else offsets | self.tops[at].astype(np.int64) << 16

    def pairs(self) -> Iterator[tuple[U64, I64]]:
        """Yield the known bits of the hashes, the others being zero, and the offsets, in parts."""
        for start in range(0, self._count, AT_ONCE):
            place = slice(start, min(start + AT_ONCE, self._count))
            at = np.arange(place.start, place.stop, dtype=np.uint32)
            bucket = np.searchsorted(self.starts, at, "right") - 1
            known = bucket.astype(np.uint64) << np.uint64(MARK) | self.marks[place]
            yield known << np.uint64(64 - self._bits - MARK), self.offsets(place)

    def shares(self, ordered: U64) -> bool:
        """Return whether an entry may be that of one of the hashes, which are in order.

        This reads all entries. If there are fewer hashes than entries, ``search`` is faster.
        """
        hidden = np.uint64(64 - self._bits - MARK)
        others = ordered >> hidden
        for hashed, _ in self.pairs():
            known = hashed >> hidden
            at = np.minimum(np.searchsorted(others, known), len(others) - 1)
            if (others[at] == known).any():
                return True
        return False


def _sizes(count: int, bits: int, top: int) -> tuple[int, ...]:
    """Return the number of words of each part of a look-up."""
    return _HEAD, 2 * (1 << bits) + 2, count, count, (count * top + 1) // 2


def write_lookup(path: Path, pairs: Pairs) -> None:
    """Write a look-up file; ``pairs`` returns hashes and offsets in parts.

    The hashes within a part may be in any order, but all of them are higher than the hashes of the
    previous part. Only one part at a time is in memory.
    """
    total, highest = 0, 0
    for _, offsets in pairs():
        total, highest = total + len(offsets), max(highest, int(offsets.max(initial=0)))
    head = total, max(1, total.bit_length() - 6), max(0, (highest.bit_length() - 9) // 8)
    words = create_array(path, np.uint16, (sum(_sizes(*head)),))
    words[:_HEAD] = np.array(head, np.uint64).view(np.uint16)
    _fill(Lookup(words), pairs())


def _fill(lookup: Lookup, parts: Iterable[tuple[Array, Array]]) -> None:
    sizes, end = np.zeros(len(lookup.starts) - 1, np.int64), 0
    for hashed, offsets in parts:
        order = np.argsort(hashed, kind="stable")
        place = slice(end, end := end + len(order))
        bucket, lookup.marks[place] = lookup.split(hashed[order])
        sizes += np.bincount(bucket, minlength=len(sizes))
        lookup.low[place] = offsets[order].astype(np.uint16)
        if lookup.tops is not None:
            lookup.tops[place] = offsets[order] >> MARK
    lookup.starts[1:] = np.cumsum(sizes)


def lookup_file(folder: Path, ingest: int) -> Path:
    """Return the path of the look-up of an ingest."""
    return folder / f"{ingest:08d}.lookup.npy"


def read_lookup(folder: Path, ingest: int) -> Lookup | OldLookup:
    """Return the look-up of the names of one ingest."""
    path = lookup_file(folder, ingest)
    while True:
        with suppress(FileNotFoundError):
            return Lookup(open_array(path))
        try:
            return read_old_lookup(folder, ingest)
        except FileNotFoundError:  # an erasure may just have replaced the old files
            if file_mark(path) is None:
                raise
