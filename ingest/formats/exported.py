"""Exported triples: Parquet with the attributes of a triple in one column, unchanged."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ATTRIBUTES
from provhouse.model.errors import BadInput

from . import parquet
from .column_mapping import KNOWN
from .source import Batch, ReportBytes, Source


def check(source: Source) -> list[str]:
    """Return the columns; raise BadInput unless they are those of an export."""
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
    """Yield the rows, without the generation in which another warehouse first had them."""
    row = 1
    for table in parquet.tables(source, report):
        rows = table.select([*KNOWN, ATTRIBUTES]).cast(_SCHEMA).combine_chunks()
        attributes = rows[ATTRIBUTES].combine_chunks()
        none = pc.fill_null(pc.equal(attributes, "{}"), True)  # answers show no attributes as {}
        yield Batch(row, rows.select(KNOWN), pc.if_else(none, "", attributes))
        row += rows.num_rows


_SCHEMA = pa.schema([(name, pa.string()) for name in (*KNOWN, ATTRIBUTES)])
