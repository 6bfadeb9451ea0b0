"""The traces of one captured block, in the folder with its association files."""

from typing import TYPE_CHECKING, Any

from provhouse.capturing.session import await_ends
from provhouse.ingest.captured.land import captured_writes
from provhouse.ingest.captured.output import output_of
from provhouse.ingest.captured.widened import Widened, check_lineage
from provhouse.model.errors import UsageError
from provhouse.store.warehouse.kept_folder import KeptFolder

from .cursor import Cursor
from .flow import Flow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Traces:
    """Makes cursors over the finished writes of a block."""

    def __init__(self, spark: "SparkSession", folder: KeptFolder, rules: Any) -> None:
        """``rules`` are those of the block in the JVM."""
        self._spark, self._folder, self._rules = spark, folder, rules
        self._flow: Flow | None = None
        self._writes = 0

    def trace(self, table: str, widened: Widened | None) -> Cursor:
        """Return a cursor at all rows that the block has written to a table.

        ``widened`` is what the ingest has found; None if the block has not ended. Raises UsageError
        if there is no such table, if the block has saved an RDD, or if its files are gone.
        """
        if not self._folder.is_open:
            raise UsageError(
                "The associations of this block are gone",
                "It was closed, or the lineage of no write of it could be ingested",
                "Ask the warehouse (provhouse lineage), or run the job again and trace it",
            )
        for write in captured_writes(self._folder.path):
            if write.format == "rdd":
                raise _with_rdds(write.table)
            if write.key and write.table == table:
                raise UsageError(
                    f"Rows of {table} cannot be traced in the session",
                    f"It was written as {write.format}, where rows have no numbers",
                    "Ask the warehouse (provhouse lineage), or write it as Parquet",
                )
        self._flow = self._current(widened)
        return Cursor.at_table(self._flow, table)

    def _current(self, widened: Widened | None) -> Flow:
        """Return the writes that are finished now."""
        if widened is None:
            await_ends(self._spark)
        every = captured_writes(self._folder.path)
        writes = [each for each in every if each.state == "finished" and not each.key]
        if self._flow and len(writes) == self._writes:
            return self._flow
        self._writes = len(writes)
        outputs = [output for output in map(output_of, writes) if output.files]
        for source in (source for output in outputs for source in output.write.sources):
            source.check_unchanged()
        found = check_lineage(outputs) if widened is None else widened
        return Flow(self._spark, outputs, found, self._folder, self._rules)


def _with_rdds(table: str) -> UsageError:
    """Return the error for a block with an RDD, where cursors would leave out what it has made."""
    return UsageError(
        "A block that has saved RDDs cannot be traced in the session",
        f"It has saved {table}, and cursors follow data frames only",
        "Ask the warehouse (provhouse lineage), or write the data frames in a block of their own",
    )
