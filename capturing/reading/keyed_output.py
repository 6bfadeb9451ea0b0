"""Rows of a write in a format without row numbers. The tap of the rows has written their keys."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput
from provhouse.store.tables.written import Written

from .description import CapturedWrite
from .keyed import check_texts
from .output import Output, check_one_job
from .row_names import Ends, constant, keyed_items
from .tap_files import row_keys


@dataclass(frozen=True)
class KeyedOutput(Output):
    """The rows of a write without row numbers, such as one to CSV files or another database.

    If the write made no files, ``files`` contains the folder of the write's taps, since a version
    needs at least one path.
    """

    names: pa.Array = field(kw_only=True)
    """The key of each row."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The total number of rows, as the only count."""
        return (len(self.names),)


def keyed_output_of(write: CapturedWrite) -> KeyedOutput:
    """Return the rows of a write after checking that they are the captured rows.

    Raises BadInput if another program also wrote there, if Spark wrote a different number of rows,
    or if a key is NULL or not unique.
    """
    check_one_job(write)
    names = row_keys(write.folder / "rows")
    if write.format != "jdbc" and write.rows != len(names):
        raise BadInput(
            f"The lineage of {write.path} does not match its rows",
            f"Spark wrote {write.rows:,} rows and captured {len(names):,}",
            "Run the job again; if this repeats, report it",
        )
    check_texts(write.table, write.key, names)
    return KeyedOutput(write, write.written or (write.folder,), names=names)


class KeyedOutputNames:
    """The items of the rows in a ``KeyedOutput``, looked up by the rows' positions."""

    def __init__(self, output: KeyedOutput, written: Written) -> None:
        self._output, self._written = output, written

    def ends(self, rows: I64) -> Ends:
        """Return the items of the given rows."""
        table = self._written.table
        found = self._output.names.take(pa.array(rows))
        suffixes = pa.array([self._written.suffix])
        items = keyed_items(table, found, suffixes, np.zeros(len(rows), np.int64))
        return Ends(items, constant(table, len(rows)))
