"""Add rows to a table without versions, which consists of Parquet files in one folder.

Ingests add few rows each, so new rows go into the last file until it has ``ROWS``. An addition
replaces this file atomically: readers see either the old file or the new file.
"""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.runtime.files import make_folder, sync_file, sync_folder

from .layout import Layout
from .locks import check_lock

ROWS = 1 << 16
"""The number of rows of a full file."""


def add_rows(layout: Layout, path: Path, last: Path | None, rows: pa.Table) -> None:
    """Add rows to the file ``last``; if it is full or None, write them to the file ``path``.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    if last and pq.read_metadata(last).num_rows < ROWS:
        path, rows = last, pa.concat_tables([pq.read_table(last, schema=rows.schema), rows])
    replace_rows(layout, path, rows)


def replace_rows(layout: Layout, path: Path, rows: pa.Table) -> None:
    """Write or replace a file atomically.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    make_folder(path.parent)
    aside = path.with_name(f"{path.name}.new")
    pq.write_table(rows, aside, compression="zstd", write_page_checksum=True)
    sync_file(aside)
    check_lock(layout)
    os.replace(aside, path)
    sync_folder(path.parent)
