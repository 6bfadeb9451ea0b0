"""Read a stream of Arrow batches that ``from_arrow`` wrote to a temporary file."""

from collections.abc import Iterator

import pyarrow as pa

from .source import Batch, ReportBytes, Source
from .tabular import as_batches


def check(source: Source) -> list[str]:
    """Return the column names; raise BadInput if src or dst is missing."""
    with pa.ipc.open_stream(pa.memory_map(source.path)) as reader:
        found: list[str] = reader.schema.names
    source.columns.check(source.name, found)
    return found


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the rows as batches of triples."""
    return as_batches(source, _tables(source, report))


def _tables(source: Source, report: ReportBytes) -> Iterator[pa.Table]:
    with pa.memory_map(source.path) as file, pa.ipc.open_stream(file) as reader:
        for batch in reader:
            yield pa.Table.from_batches([batch])
            report(file.tell())
