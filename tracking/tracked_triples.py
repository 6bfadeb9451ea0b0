"""Triples of tracked rows: write them to a complete file, or ingest them into a warehouse."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings

from .row_links import own_rows
from .step_graph import Items, StepNode, pairs
from .tracked_row_names import item_names

if TYPE_CHECKING:
    from provhouse.ingest.ingest_summary import Summary

SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("src", "dst", "op", "src_table", "dst_table", "op_kind")]
)
CHUNK = 1 << 16
"""The number of rows whose lineage is followed at a time."""


def triples(node: StepNode, items: Items) -> Iterator[pa.RecordBatch]:
    """Yield the triples of rows that are items, and of the marked rows from which they derive."""
    waiting, known = [(node, items)], {node}
    while waiting:
        at, named = waiting.pop()
        names = item_names(named.table, named.names())
        for start in range(0, at.size, CHUNK):
            rows = own_rows(at.size)[start : start + CHUNK]
            for source, near, far in pairs(at, rows):
                assert source.items is not None
                if source not in known:
                    known.add(source)
                    waiting.append((source, source.items))
                src = item_names(source.items.table, source.items.names())
                texts = (at.named_step.op, source.items.table, named.table, at.whole_kind)
                op, src_table, dst_table, kind = (pa.repeat(text, near.size) for text in texts)
                ends = [src.take(pa.array(far)), names.take(pa.array(near))]
                yield pa.record_batch([*ends, op, src_table, dst_table, kind], schema=SCHEMA)


def write_triples(batches: Iterator[pa.RecordBatch], path: str | os.PathLike[str]) -> int:
    """Write triples to a CSV or Parquet file; return their number.

    The file appears only when it is complete. Raises UsageError for another extension, and
    Unavailable if the file cannot be written.
    """
    target = Path(path)
    writers = {".parquet": pq.ParquetWriter, ".csv": pa_csv.CSVWriter}
    if target.suffix.lower() not in writers:
        raise UsageError(
            f"Cannot write triples to {target}",
            "Its name ends in neither .csv nor .parquet",
            "Choose a name such as trace.parquet",
        )
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    number = 0
    try:
        with writers[target.suffix.lower()](str(aside), SCHEMA) as out:
            for batch in batches:
                out.write_batch(batch)
                number += batch.num_rows
        os.replace(aside, target)
    except OSError as error:
        raise Unavailable(
            f"Cannot write triples to {target}",
            error.strerror or "The system reports an error",
            "Check the folder and its permissions",
        ) from error
    finally:
        aside.unlink(missing_ok=True)
    return number


def ingest_triples(
    batches: Iterator[pa.RecordBatch],
    warehouse: str | os.PathLike[str],
    label: str,
    run: str | None,
    settings: dict[str, object],
) -> "Summary":
    """Ingest triples into a warehouse as one new generation."""
    from provhouse.ingest.from_arrow import from_arrow
    from provhouse.ingest.ingest import Options

    loaded = Settings.load({**settings, "warehouse": Path(warehouse)})
    reader = pa.RecordBatchReader.from_batches(SCHEMA, batches)
    options: Options = {"strict": True} if run is None else {"strict": True, "run": run}
    return from_arrow(reader, loaded, label=label, progress=Silent(), **options)
