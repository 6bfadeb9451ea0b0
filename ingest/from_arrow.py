"""Ingest Arrow batches that a program passes, with the same checks, rejects and errors as files."""

from typing import Unpack

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from .formats.column_mapping import AS_NAMED, ColumnNames
from .formats.spool import Rows, spooled
from .ingest import Options, ingest_sources
from .ingest_summary import Summary


def from_arrow(
    rows: Rows,
    settings: Settings,
    *,
    label: str = "arrow",
    columns: ColumnNames = AS_NAMED,
    progress: Progress,
    **options: Unpack[Options],
) -> Summary:
    """Ingest Arrow batches as one new generation.

    The columns mean the same as in a file. ``src`` and ``dst`` are required; ``op``, ``src_table``
    and ``dst_table`` are known. If ``derivation`` or ``op_kind`` is present, the columns that
    describe derivations are known too. Any other column is an attribute. ``src_id`` may replace
    ``src``: it has 64-bit integers, the row ids of ``src_table``, which are numbered without being
    converted to strings. ``dst_id`` may replace ``dst`` in the same way.

    ``label`` replaces the path of a file in messages, rejected rows and origins. ``ingest``
    explains the other arguments. The batches are written to temporary files, one at a time, before
    the warehouse is locked. Raises BadInput for unusable rows, and Busy if another process writes.
    The warehouse is unchanged after any error.
    """
    with spooled(rows, label, columns) as found:
        return ingest_sources(found, settings, progress=progress, **options)
