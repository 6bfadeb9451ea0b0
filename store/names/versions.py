"""Find the versions of a name: ``t/n@3`` is the third version of ``t/n``.

A name that ends with ``@`` and digits may be a version. For each such name, ``INGEST.versions.npy``
contains the hash of the name without its version, in order, and the position of the item in the
ingest. For an ingest without such names, the file does not exist.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from provhouse.model.arrays import I64, U64, Column, ItemNumbers
from provhouse.model.compiled import compiled
from provhouse.runtime.storage import create_array, open_array

from .hashing import digest
from .pair_sort import Pairs, count, sort_pairs

_NONE = np.empty((2, 0), np.uint64)


class Version(NamedTuple):
    """A version of a name, and the number of its item."""

    version: int
    item: int
    name: str


def versions_file(folder: Path, ingest: int) -> Path:
    """Return the path of the file with the versions among an ingest's names."""
    return folder / f"{ingest:08d}.versions.npy"


def version_hashes(names: Column) -> tuple[I64, U64]:
    """Return the rows of names that may be versions, and the hashes of these names.

    The hashes are of the names without the versions.
    """
    texts = pa.table({"name": names})["name"].combine_chunks().fill_null("")
    if not len(texts):
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    at = np.frombuffer(offsets, width)[texts.offset : texts.offset + len(texts) + 1]
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    found: tuple[I64, U64] = _hashed(text, at.astype(np.int64))
    return found


@compiled()
def _hashed(text: npt.NDArray[np.uint8], offsets: I64) -> tuple[I64, U64]:
    rows, hashes = np.empty(len(offsets), np.int64), np.empty(len(offsets), np.uint64)
    count = 0
    for row in range(len(offsets) - 1):
        start, end = offsets[row], offsets[row + 1] - 1
        at = end
        while at > start and 48 <= text[at] <= 57:
            at -= 1
        if start < at < end and text[at] == 64:  # "@" after a name and before at least one digit
            rows[count], hashes[count] = row, digest(text, start, at, np.uint64(0))
            count += 1
    return rows[:count], hashes[:count]


def write_versions(folder: Path, ingest: int, pairs: Pairs) -> None:
    """Write the file of an ingest that has versions. ``pairs`` returns hashes and positions."""
    if total := count(pairs):
        hashes, offsets = create_array(versions_file(folder, ingest), np.uint64, (2, total))
        sort_pairs(pairs, hashes, offsets)


def read_versions(folder: Path, ingest: int) -> U64:
    """Return the hashes and the positions of an ingest's versions, as two rows."""
    try:
        return np.asarray(open_array(versions_file(folder, ingest)))
    except FileNotFoundError:
        return _NONE


def matching(name: str, numbers: ItemNumbers, texts: pa.Array) -> list[Version]:
    """Return the items that are versions of a name, in order of version.

    ``texts`` contains the names of the items ``numbers``.
    """
    found = []
    for item, text in zip(numbers.tolist(), texts.to_pylist(), strict=True):
        if text is None or not text.startswith(f"{name}@"):
            continue
        version = text.removeprefix(f"{name}@")
        if version.isascii() and version.isdecimal():
            found.append(Version(int(version), item, text))
    return sorted(found)
