"""Keys of groups that a tap leaves out, since a column of the rows of a source has them."""

from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .associations import NONE, PIECE, alike
from .description import SourceFile, TapTable
from .pairs import ROW_BITS

NULL_GROUP = NONE + 1
"""The key of the group of NULL, as in ``capturing/java/.../GroupKey.java``."""


class SourceColumns:
    """Columns of integers of source files, each read once; they are in files in ``aside``."""

    def __init__(self, files: Iterable[SourceFile], aside: Path) -> None:
        self._paths = {file.number: file.path for file in files}
        self._aside = aside
        self._known: dict[tuple[Path, str], I64 | None] = {}

    def with_keys(self, table: TapTable, slots: I64) -> I64:
        """Return rows of a tap with the keys of their groups as the first column.

        Raises BadInput if the column of the source is none of integers, or has the key of NULL.
        """
        assert table.source
        ids = slots[table.source.slot]
        keys = np.full(len(ids), NULL_GROUP)
        here = np.flatnonzero(ids != NONE)
        numbers = ids[here] >> ROW_BITS
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            at = here[numbers == number]
            values = self._column(self._paths[number], table.source.column, table.by)
            if values is not None:
                keys[at] = values[ids[at] & ((1 << ROW_BITS) - 1)]
        return np.vstack([keys, slots])

    def _column(self, path: Path, column: str, by: str) -> I64 | None:
        if (path, column) not in self._known:
            self._known[path, column] = self._read(path, column, by)
        return self._known[path, column]

    def _read(self, path: Path, column: str, by: str) -> I64 | None:
        """Return the values of a column, or None if the file lacks it, as if all were NULL."""
        with pq.ParquetFile(path) as file:
            alike_names = [n for n in file.schema_arrow.names if n.lower() == column.lower()]
            if not alike_names or not file.metadata.num_rows:
                return None
            name = column if column in alike_names else alike_names[0]
            if not pa.types.is_integer(file.schema_arrow.field(name).type):
                raise BadInput(
                    f"The groups by {by} are not known",
                    f"The column {name} of {path}, which Spark has read as integers, has others",
                    "Cast the column in the query, so that its values are stored with the lineage",
                )
            place = self._aside / f"column-{token_hex(8)}"
            with place.open("wb") as values:
                for batch in file.iter_batches(PIECE, columns=[name]):
                    found = batch.column(0).cast(pa.int64())
                    if pc.any(pc.equal(found, NULL_GROUP)).as_py():
                        raise alike(by)
                    np.asarray(pc.fill_null(found, NULL_GROUP)).tofile(values)
        return np.memmap(place, np.int64, "r")
