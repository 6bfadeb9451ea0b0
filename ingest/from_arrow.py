"""Ingest Arrow batches that a program passes, with the checks, rejects and errors of files."""

from typing import Unpack

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from .formats.column_mapping import AS_NAMED, ColumnNames
from .formats.spool import Rows, spooled
from .ingest import Options, ingest_sources
from .summary import Summary


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

    The columns have the same meaning as those of a file: ``src`` and ``dst`` are needed, ``op``,
    ``src_table`` and ``dst_table`` are known, those of derivations are known beside ``derivation``
    or ``op_kind``, and any other column is an attribute. Instead of ``src``, there may be
    ``src_id``: integers of 64 bits, which are row ids of ``src_table``. They are numbered without
    becoming text. So it is with ``dst_id``.

    ``label`` is the name of the rows in messages, rejected rows and origins, where a file has its
    path. The other arguments are those of ``ingest``. The batches are written to temporary files,
    one at a time, before the warehouse is locked. Raises BadInput for unusable rows, and Busy if
    another process writes. The warehouse is unchanged after any error.
    """
    with spooled(rows, label, columns) as found:
        return ingest_sources(found, settings, progress=progress, **options)
