"""64-bit hashes of names, computed directly from Arrow's buffers.

The hash is XXH64 as specified; the tests compare it with the reference library. Hashes only narrow
down a search. The names themselves are compared afterwards, so two names with the same hash are
never confused.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import U64, Column
from provhouse.model.compiled import compiled

_P1 = np.uint64(0x9E3779B185EBCA87)
_P2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P3 = np.uint64(0x165667B19E3779F9)
_P4 = np.uint64(0x85EBCA77C2B2AE63)
_P5 = np.uint64(0x27D4EB2F165667C5)


def hashes(names: Column, seed: int = 0) -> U64:
    """Return the XXH64 of each name's UTF-8 bytes. ``names`` must not contain nulls."""
    chunks = names.chunks if isinstance(names, pa.ChunkedArray) else [names]
    if len(chunks) == 1:
        return _of_chunk(chunks[0], seed)
    return np.concatenate([np.empty(0, np.uint64), *(_of_chunk(c, seed) for c in chunks)])


def _of_chunk(names: Column, seed: int) -> U64:
    width = np.int64 if pa.types.is_large_string(names.type) else np.int32
    _, offsets, data = names.buffers()
    if len(names) == 0 or offsets is None:
        return np.empty(0, np.uint64)
    at = np.frombuffer(offsets, width)[names.offset : names.offset + len(names) + 1]
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    result: U64 = _xxh64(text, at.astype(np.int64), np.uint64(seed))
    return result


@compiled(inline=True)
def _left(x: np.uint64, bits: int) -> np.uint64:
    """Rotate the bits of a word to the left."""
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@compiled(inline=True)
def _word(data: npt.NDArray[np.uint8], at: int, length: int) -> np.uint64:
    """Return bytes as a little-endian word."""
    word = np.uint64(0)
    for i in range(length):
        word |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word


@compiled(inline=True)
def _round(state: np.uint64, word: np.uint64) -> np.uint64:
    """Mix a word into the state, as xxHash does in each round."""
    return _left(state + word * _P2, 31) * _P1


@compiled(inline=True)
def digest(data: npt.NDArray[np.uint8], at: int, end: int, seed: np.uint64) -> np.uint64:
    """Return the XXH64 of the bytes from ``at`` to ``end``."""
    length = np.uint64(end - at)
    if end - at >= 32:
        v1, v2, v3, v4 = seed + _P1 + _P2, seed + _P2, seed, seed - _P1
        while end - at >= 32:
            v1 = _round(v1, _word(data, at, 8))
            v2 = _round(v2, _word(data, at + 8, 8))
            v3 = _round(v3, _word(data, at + 16, 8))
            v4 = _round(v4, _word(data, at + 24, 8))
            at += 32
        h = _left(v1, 1) + _left(v2, 7) + _left(v3, 12) + _left(v4, 18)
        for v in (v1, v2, v3, v4):
            h = (h ^ _round(np.uint64(0), v)) * _P1 + _P4
    else:
        h = seed + _P5
    h += length
    while end - at >= 8:
        h = _left(h ^ _round(np.uint64(0), _word(data, at, 8)), 27) * _P1 + _P4
        at += 8
    if end - at >= 4:
        h = _left(h ^ (_word(data, at, 4) * _P1), 23) * _P2 + _P3
        at += 4
    while at < end:
        h = _left(h ^ (np.uint64(data[at]) * _P5), 11) * _P1
        at += 1
    h = (h ^ (h >> np.uint64(33))) * _P2
    h = (h ^ (h >> np.uint64(29))) * _P3
    return h ^ (h >> np.uint64(32))


@compiled()
def _xxh64(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], seed: np.uint64) -> U64:
    """Return the xxHash of each string."""
    out = np.empty(len(offsets) - 1, np.uint64)
    for row in range(len(out)):
        out[row] = digest(data, offsets[row], offsets[row + 1], seed)
    return out
