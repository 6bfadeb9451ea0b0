"""Read exported triples from Parquet files, in which one column has all attributes of a triple."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ATTRIBUTES, DESCRIBING
from provhouse.model.errors import BadInput

from . import parquet
from .column_mapping import KNOWN
from .source import Batch, ReportBytes, Source


def check(source: Source) -> list[str]:
    """Return the column names; raise BadInput if a column of an export is missing."""
    found = parquet.check(source)
    missing = [name for name in (*KNOWN, ATTRIBUTES) if name not in found]
    if missing:
        raise BadInput(
            f"{source.path} is not an export",
            f"It lacks the columns {', '.join(missing)}",
            "If another program wrote it, use `provhouse ingest`",
        )
    return found


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows in batches, without the columns of ingest and generation numbers."""
    row = 1
    for table in parquet.tables(source, report):
        known = [*KNOWN, *(name for name in DESCRIBING if name in table.column_names)]
        texts = pa.schema([(name, pa.string()) for name in (*known, ATTRIBUTES)])
        rows = table.select(texts.names).cast(texts).combine_chunks()
        attributes = rows[ATTRIBUTES].combine_chunks()
        none = pc.fill_null(pc.equal(attributes, "{}"), True)  # answers show {} for no attributes
        yield Batch(row, rows.select(known), pc.if_else(none, "", attributes))
        row += rows.num_rows
