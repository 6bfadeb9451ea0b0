"""Open two stored results in DuckDB, but only the parts in which their rows may differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from provhouse.store.warehouse.layout import Layout

from .result_files import ROW_NUMBER, Buckets, ResultFile, buckets_path, result_path

MOST_OPENED = 0.3
"""If more than this share of the buckets differs, all rows are read: lookups would cost more."""
SIDES = ("before", "after")


@dataclass(frozen=True)
class Opened:
    """The numbers of all buckets, of differing buckets, and of rows that may differ."""

    buckets: int
    unequal: int


def open_results(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    results: tuple[ResultFile, ResultFile],
    key: Sequence[str],
) -> Opened:
    """Create the views ``before`` and ``after``, with the rows of two results that may differ.

    The rows of equal buckets are left out, if both results have buckets by this key.
    """
    found = _digests(layout, results, key)
    if found is None:
        for view, result in zip(SIDES, results, strict=True):
            con.execute(f"create view {view} as {_all(layout, result)}")
        return Opened(0, 0)
    one, other = found
    bits = min(result.bits or 0 for result in results)
    unequal = np.flatnonzero((_folded(one, bits) != _folded(other, bits)).any(axis=1))
    for view, result, digests in zip(SIDES, results, found, strict=True):
        if len(unequal) > MOST_OPENED * (1 << bits):
            con.execute(f"create view {view} as {_all(layout, result)}")
        else:
            _open(con, view, _all(layout, result), _row_numbers(digests, unequal, bits))
    return Opened(1 << bits, len(unequal))


def _digests(
    layout: Layout, results: tuple[ResultFile, ResultFile], key: Sequence[str]
) -> tuple[Buckets, Buckets] | None:
    """Return the buckets of two results, or None if the buckets cannot be compared."""
    one, other = results
    same = (one.columns, one.types, one.key) == (other.columns, other.types, other.key)
    if not same or one.bits is None or other.bits is None or one.key != tuple(key):
        return None
    try:
        first, second = (np.load(buckets_path(layout, each.result)) for each in results)
    except OSError:  # the file was removed; all rows are compared
        return None
    return first, second


def _folded(digests: Buckets, bits: int) -> Buckets:
    """Merge adjacent buckets into fewer, larger ones."""
    folded: Buckets = digests.reshape(1 << bits, -1, digests.shape[1]).sum(axis=1, dtype=np.uint64)
    return folded


def _row_numbers(digests: Buckets, unequal: "np.ndarray[tuple[int], np.dtype[np.int64]]",
                 bits: int) -> pa.Array:  # fmt: skip
    """Return the row numbers, in a result's file, of the rows in the unequal buckets."""
    ends = np.cumsum(_folded(digests, bits)[:, 0].astype(np.int64))
    starts = np.concatenate([[0], ends])[unequal]
    return pa.array(
        np.concatenate([np.arange(0), *map(np.arange, starts, ends[unequal])]).astype(np.int64)
    )


def _open(con: duckdb.DuckDBPyConnection, view: str, rows: str, numbers: pa.Array) -> None:
    name = f"numbers_{view}"
    con.register(name, pa.table({"number": numbers}))
    numbered = rows.replace("')", f"', {ROW_NUMBER}=true)")
    con.execute(
        f"create temp table {view} as select * exclude ({ROW_NUMBER}) from ({numbered}) "
        f"semi join {name} on {ROW_NUMBER} = number"
    )


def _all(layout: Layout, result: ResultFile) -> str:
    path = str(result_path(layout, result.result)).replace("'", "''")
    return f"from read_parquet('{path}')"
