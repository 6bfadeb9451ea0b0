"""Measure the floors of the steps of an ingest.

The floor of a step is the time of its indispensable work alone, on the same data and the same cores
as in the ingest. A step that takes twice its floor spends half of its time on this work.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import sched_getaffinity
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.traces.trace_files import Trace
from provhouse.model.arrays import I32
from provhouse.model.columns import ATTRIBUTES, BORN, DST, INGEST, OP, SRC
from provhouse.sets.components import weak_components
from provhouse.store.names.hashing import hashes
from provhouse.store.tables.partitions import write_partition

PARTITION = 32_768
Work = TypeVar("Work")


def floors(trace: Trace, files: Iterable[Path], copies: int) -> dict[str, float]:
    """Return the floors of three steps in seconds, by the name of the step.

    The indispensable work of ``read`` is decoding and hashing. That of ``cut`` is union-find, and
    that of ``place`` is sorting and compressing.
    """
    return {
        "read": _on_all_cores(_decoded, sorted(files)),
        "cut": copies * _timed(lambda: weak_components(len(trace.table), [(trace.src, trace.dst)])),
        "place": _on_all_cores(_sorted, [(trace.src, trace.dst)] * copies),
    }


def _timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _on_all_cores(work: Callable[[Work], None], parts: Iterable[Work]) -> float:
    """Call ``work`` for each part, and return the seconds.

    The start of the processes that do the work is not included.
    """
    cores = len(sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        list(pool.map(abs, range(8 * cores)))
        return _timed(lambda: list(pool.map(work, parts)))


def _decoded(path: Path) -> None:
    """Read a file and hash its names, which every ingest has to do."""
    pa.set_cpu_count(1)
    for batch in pa_csv.open_csv(path):
        for name in (SRC, DST):
            hashes(batch.column(name))


def _sorted(edges: tuple[I32, I32]) -> None:
    """Sort triples by both ends and write them compressed."""
    src, dst = (end.astype(np.int64) for end in edges)
    order = np.lexsort((src, dst))
    ones = pa.repeat(pa.scalar(1, pa.int32()), len(order))
    texts = pa.repeat("operation", len(order))
    rows = pa.table(
        {SRC: src[order], DST: dst[order], OP: texts, ATTRIBUTES: texts, INGEST: ones, BORN: ones}
    )
    with TemporaryDirectory() as folder:
        for at in range(0, len(order), PARTITION):
            write_partition(rows.slice(at, PARTITION), Path(folder) / f"{at}.parquet")
