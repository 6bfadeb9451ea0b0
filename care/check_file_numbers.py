"""Check that the table of files maps each number to one path, and each path to one number."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from provhouse.store.tables.file_table import NUMBER, PATH, read_files
from provhouse.store.warehouse.layout import Layout

from .damage_report import RESTORE_FOLDER, Damage

_WHERE = "table of files"


def file_number_damages(layout: Layout, counts: Counter[str]) -> Iterator[Damage]:
    """Yield a `Damage` for a number that two files share, and for a file with two numbers.

    Raises Damaged if a part of the table is unreadable.
    """
    rows = read_files(layout)
    if not rows.num_rows:
        return
    counts["file numbers"] += rows.num_rows
    repeated = int((np.diff(np.asarray(rows[NUMBER])) <= 0).sum())
    if repeated:
        found = f"{repeated:,} numbers are not above the number before them"
        yield Damage(_WHERE, "Two files may have the same number", found, RESTORE_FOLDER)
    repeated = rows.num_rows - len(pc.unique(rows[PATH]))
    if repeated:
        found = f"{repeated:,} paths are repeated"
        yield Damage(_WHERE, "A file has two numbers", found, RESTORE_FOLDER)
