"""Exported triples: Parquet whose attributes are what they were, in one column."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ATTRIBUTES
from provhouse.model.errors import BadInput

from . import parquet
from .column_mapping import KNOWN
from .source import Batch, ReportBytes, Source


def check(source: Source) -> list[str]:
    """The columns; raises BadInput unless they are those of an export."""
    found = parquet.check(source)
    missing = [name for name in (*KNOWN, ATTRIBUTES) if name not in found]
    if missing:
        raise BadInput(
            f"{source.path} should have the columns of an export",
            f"It lacks {', '.join(missing)}",
            "Take it in with `provhouse ingest` if it was made by another program",
        )
    return found


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """The rows; in which generation of another warehouse each was born is left behind."""
    row = 1
    for table in parquet.tables(source, report):
        rows = table.select([*KNOWN, ATTRIBUTES]).cast(_SCHEMA).combine_chunks()
        attributes = rows[ATTRIBUTES].combine_chunks()
        none = pc.fill_null(pc.equal(attributes, "{}"), True)  # as an answer shows them
        yield Batch(row, rows.select(KNOWN), pc.if_else(none, "", attributes))
        row += rows.num_rows


_SCHEMA = pa.schema([(name, pa.string()) for name in (*KNOWN, ATTRIBUTES)])
