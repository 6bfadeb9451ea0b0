"""The triples of one run, in a Parquet file, and the descriptions of its operations."""

import csv
import os
import secrets
from dataclasses import astuple, fields
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, expand_ranges

from .model_op import ModelOp

NAMES = ("src", "dst", "op", "src_table", "dst_table", "derivation", "op_kind", "role")
GROUP = 1 << 16
"""The number of triples to collect before a write: each write costs a few milliseconds."""
SCHEMA = pa.schema(
    [
        (name, pa.string() if name in ("src", "dst") else pa.dictionary(pa.int32(), pa.string()))
        for name in NAMES
    ]
)
"""The columns in memory. In the file, all of them are strings."""


class Targets:
    """The items made from the rows of a query: one per row, or any number in a snapshot."""

    def __init__(self, names: pa.Array, rows: I64 | None = None, number: int = 0) -> None:
        """Store the items' ``names`` and the query row of each.

        ``rows`` contains the query row of each item, and the query has ``number`` rows. If ``rows``
        is None, each query row became one item.
        """
        if rows is None:
            self._names, self._offsets = names, np.arange(len(names) + 1)
        else:
            order = np.argsort(rows, kind="stable")
            self._names = names.take(pa.array(order))
            self._offsets = np.searchsorted(rows[order], np.arange(number + 1))

    def of(self, rows: I64) -> tuple[I64, pa.Array]:
        """Return the items made from ``rows``.

        The result is two arrays: for each item, the position of its row in ``rows``, and its name.
        """
        starts, sizes = self._offsets[rows], self._offsets[rows + 1] - self._offsets[rows]
        at = np.repeat(np.arange(rows.size), sizes)
        return at, self._names.take(pa.array(expand_ranges(starts, sizes)))


class TraceFile:
    """A file of triples that appears only when it is complete."""

    def __init__(self, folder: Path, run: int) -> None:
        self.path = trace_path(folder, run)
        self.triples = 0
        self._aside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        self._writer = pq.ParquetWriter(self._aside, SCHEMA, store_schema=False)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self._ops: dict[str, ModelOp] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._writer.close()
        self._aside.unlink(missing_ok=True)

    def write(
        self, op: ModelOp, table: str, dst: pa.Array, source: str, src: pa.Array, role: str
    ) -> None:
        """Write triples. All triples with the same ``dst`` form one derivation."""
        self._ops[op.op] = op
        texts = (op.op, source, table, "1", op.kind, role)
        same = pa.array(np.zeros(len(src), np.int32))
        columns = [src, dst, *(pa.DictionaryArray.from_arrays(same, [text]) for text in texts)]
        self._waiting.append(pa.record_batch(columns, schema=SCHEMA))
        self._rows += len(src)
        self.triples += len(src)
        if self._rows >= GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting).unify_dictionaries())
        self._waiting, self._rows = [], 0

    def finish(self) -> None:
        """Complete the files, and give them their final names."""
        self._flush()
        self._writer.close()
        with ops_path(self.path).open("w", encoding="utf-8", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(each.name for each in fields(ModelOp))
            rows.writerows(map(astuple, self._ops.values()))
        os.replace(self._aside, self.path)


def trace_path(folder: Path, run: int) -> Path:
    """Return the path of the file with a run's triples."""
    return folder / f"run-{run:06d}.parquet"


def ops_path(trace: Path) -> Path:
    """Return the path of the operations' descriptions, which is next to the file of triples."""
    return trace.with_suffix(".ops.csv")
