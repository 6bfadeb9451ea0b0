"""Very many texts in a temporary file that is mapped, so that memory need not hold them."""

import mmap
from collections.abc import Iterable
from tempfile import TemporaryFile

import numpy as np
import pyarrow as pa


def spilled(pieces: Iterable[pa.StringArray]) -> pa.LargeStringArray:
    """One array of all these texts, of which one is not empty; its file has no name."""
    ends = [np.zeros(1, np.int64)]
    with TemporaryFile() as file:
        for texts in pieces:
            offsets = np.frombuffer(texts.buffers()[1], np.int32)
            offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
            ends.append(offsets[1:].astype(np.int64) - offsets[0] + ends[-1][-1])
            file.write(texts.buffers()[2][int(offsets[0]) : int(offsets[-1])])
        file.flush()
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    places = pa.py_buffer(np.concatenate(ends))
    count = sum(map(len, ends)) - 1
    return pa.LargeStringArray.from_buffers(count, places, pa.py_buffer(data))
