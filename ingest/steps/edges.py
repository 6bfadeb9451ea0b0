"""One task a file: rows become edges between places, four bytes an end.

A place is the position of a name's hash among all hashes of the ingest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit

from provhouse.model.arrays import I32, I64, U64
from provhouse.model.columns import DST, SRC
from provhouse.model.errors import BadInput
from provhouse.spark.tasks import report_progress

from ..mapped import mapped

CHUNK = 1 << 22
"""Edges taken up at once by whoever passes over all of them."""


@dataclass(frozen=True)
class Task:
    """A staged file whose rows become edges."""

    number: int
    rows: int
    folder: Path


def write_edges(task: Task) -> int:
    """Write ``edges/NUMBER.npy``, two rows (src, dst) of places; how many edges there are."""
    places = Places(np.load(task.folder / "hashes.npy", mmap_mode="r"))
    (task.folder / "edges").mkdir(exist_ok=True)
    path = task.folder / "edges" / f"{task.number:06d}.npy"
    out = mapped(path, np.int32, (2, task.rows))
    at = 0
    for batch in stream(task.folder / "rows" / f"{task.number:06d}.arrow"):
        end = at + batch.num_rows
        out[0, at:end] = places.of(np.asarray(batch.column(SRC)))
        out[1, at:end] = places.of(np.asarray(batch.column(DST)))
        at = end
        report_progress(at / task.rows)
    out.flush()
    return at


def stream(path: Path) -> Iterator[pa.RecordBatch]:
    """The batches of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        yield from reader


def stream_form(path: Path) -> pa.Schema:
    """The columns of a staged file."""
    with pa.ipc.open_stream(pa.memory_map(str(path))) as reader:
        return reader.schema


def chunks(folder: Path) -> Iterator[tuple[I32, I32]]:
    """All edges of an ingest, a chunk at a time."""
    for path in sorted((folder / "edges").glob("*.npy")):
        edges = np.load(path, mmap_mode="r")
        for start in range(0, edges.shape[1], CHUNK):
            yield edges[0, start : start + CHUNK], edges[1, start : start + CHUNK]


class Places:
    """Finds hashes among sorted ones: their first bits tell about where."""

    def __init__(self, hashed: U64) -> None:
        self._hashed = np.asarray(hashed)
        bits = max(len(hashed).bit_length() - 2, 1)
        self._shift = np.uint64(64 - bits)
        tops = np.arange((1 << bits) + 1, dtype=np.float64) * 2.0 ** (64 - bits)
        self._starts: I64 = np.searchsorted(self._hashed, tops[:-1].astype(np.uint64))
        self._starts = np.append(self._starts, len(hashed))

    def of(self, wanted: npt.NDArray[np.uint64]) -> I32:
        """The place of each hash; raises BadInput for one that is not known."""
        result: I32 = _find(self._hashed, self._starts, self._shift, wanted)
        if len(wanted) and (result.min() < 0):
            raise BadInput("An input should stay as it is while it is read", "One was changed")
        return result


@njit(cache=True)
def _find(hashed: U64, starts: I64, shift: np.uint64, wanted: U64) -> I32:
    out = np.empty(len(wanted), np.int32)
    for row in range(len(wanted)):
        key = wanted[row]
        top = np.int64(key >> shift)
        low, high = starts[top], starts[top + 1]
        while low < high:
            middle = (low + high) // 2
            if hashed[middle] < key:
                low = middle + 1
            else:
                high = middle
        out[row] = low if low < starts[top + 1] and hashed[low] == key else -1
    return out
