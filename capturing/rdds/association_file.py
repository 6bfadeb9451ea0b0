"""Write the association files of RDDs; Spark's Python workers run this.

Workers may not have provhouse installed, so each function is sent to them together with the code of
this module that it uses. The module imports only packages that a worker has. The files have the
same format as the files that ``capturing/java/.../taps/TapFile.java`` writes.
"""

import os
from collections.abc import Sequence
from typing import Any

GROUP_BITS = 27
"""The number of low bits in a key that identify the group; the higher bits number the file."""
RUN_BITS = 8
"""The number of bits for the counter of the files that one attempt at a task makes for one tap."""
ATTEMPT_BITS = 63 - GROUP_BITS - RUN_BITS
"""The number of bits for an attempt's id; a key is a 64-bit integer that is not negative."""


class AssociationFile:
    """A Parquet file of 64-bit columns ``c0``, ``c1`` and so on.

    The file gets its final name when it is complete. No two files of a tap have the same number,
    even if Spark tries a task again. A key contains the number, so it identifies the attempt that
    made the row with this key.
    """

    def __init__(self, folder: str, columns: int) -> None:
        from pyspark import TaskContext

        self._folder, self._columns = folder, columns
        task: Any = TaskContext.get()
        self._attempt: int = task.taskAttemptId()
        self._stage = task.stageId()
        self._partition = task.partitionId()
        self.rows = 0
        self._writer: Any = None
        os.makedirs(folder, exist_ok=True)

    def reserve(self) -> int:
        """Reserve a number for the file, and return the first key that contains this number."""
        if self._attempt >> ATTEMPT_BITS:
            raise OverflowError("This Spark application has run too many tasks to capture RDDs")
        for run in range(1 << RUN_BITS):
            number = self._attempt << RUN_BITS | run
            name = f"{number:06d}-{self._stage}.0-{self._attempt}-{run:016x}.parquet"
            try:
                self._open(name, "x")
            except FileExistsError:
                continue
            if not os.path.exists(self._kept):
                return number << GROUP_BITS
            os.unlink(self._hidden)
        raise OverflowError("A task computes one partition too often to capture it")

    def name(self) -> tuple[int, str]:
        """Name the file after the partition; return the partition and the hidden file name.

        The driver gives the file its final name when it knows that the attempt has succeeded.
        """
        name = f"{self._partition:06d}-{self._stage}.0-{self._attempt}-{0:016x}.parquet"
        self._open(name, "w")
        return self._partition, f"_{name}"

    def _open(self, name: str, mode: str) -> None:
        self._hidden = os.path.join(self._folder, f"_{name}")
        self._kept = os.path.join(self._folder, name)
        with open(self._hidden, mode):
            pass

    def write(self, columns: Sequence[Any], texts: Sequence[str | None] | None = None) -> None:
        """Write a row group.

        ``texts`` become the last column, ``t0``. Pass ``texts`` in all calls for a file, or in
        none.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = [f"c{column}" for column in range(self._columns)]
        if self._writer is None:
            fields = [pa.field(name, pa.int64(), nullable=False) for name in names]
            if texts is not None:
                fields.append(pa.field("t0", pa.string()))
            self._schema = pa.schema(fields)
            encodings = dict.fromkeys(names, "DELTA_BINARY_PACKED")
            self._writer = pq.ParquetWriter(
                self._hidden,
                self._schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=False,
                write_statistics=False,
                column_encoding=encodings,
                store_schema=False,
            )
        more = [] if texts is None else [pa.array(texts, pa.string())]
        table = pa.table([*columns, *more], schema=self._schema)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self.rows += table.num_rows

    def close(self, *, keep: bool) -> None:
        """Close the file and, with ``keep``, give it its final name. Delete a file without rows."""
        if self._writer is None:
            os.unlink(self._hidden)
            return
        self._writer.close()
        if keep:
            os.rename(self._hidden, self._kept)
