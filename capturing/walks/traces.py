"""Make cursors for one captured block from the folder of its association files."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import UsageError
from provhouse.store.warehouse.kept_folder import KeptFolder

from ..jvm_rules import await_ends
from ..reading.checked_lineage import check_lineage
from ..reading.finished import captured_writes, outputs_of
from .cursor import Cursor
from .fault_tests import Raises, Test
from .flow import CapturedFlow
from .rdd_replay import Program
from .smallest import Smallest, of_frame, of_row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Traces:
    """A factory for cursors over the finished writes of a block."""

    def __init__(self, spark: "SparkSession", folder: KeptFolder, rules: Any) -> None:
        """``rules`` are the block's rules in the JVM."""
        self._spark, self._folder, self._rules = spark, folder, rules
        self._flow: CapturedFlow | None = None
        self._writes = 0

    def trace(self, table: str, landed: bool) -> Cursor:
        """Return a cursor at the rows of ``table`` that the block has written.

        If the block has only read the table, the cursor is at the rows that it has read.
        If ``landed``, the block has ended, and its ingest has checked the associations. Raises
        UsageError if the block has neither written nor read the table, or if the block's files are
        gone.
        """
        self._check_open()
        return Cursor.at_table(self.flow(landed), table)

    def smallest(
        self,
        wrong: "Cursor | DataFrame",
        test: Test,
        keys: Mapping[str, Sequence[str]],
        landed: bool,
        program: Program | None,
    ) -> Smallest:
        """Return the smallest input that makes a row wrong or a frame fail.

        Raises UsageError if ``wrong`` is a frame and ``test`` is not ``Raises``.
        """
        if not isinstance(wrong, Cursor):
            self._check_open()
            if not isinstance(test, Raises):
                raise UsageError(
                    "A frame has a smallest input only for an error",
                    f"The test is {test!r}",
                    "Give a row of run.trace(), or test=faults.raises()",
                )
            return of_frame(self.flow(landed), wrong, test)
        (table, *_) = [*wrong.tables(), ""]
        return of_row(wrong.flow, wrong, keys.get(table, ()), test, program)

    def _check_open(self) -> None:
        if not self._folder.is_open:
            raise UsageError(
                "The associations of this block were deleted",
                "The block was closed, or the lineage of none of its writes could be ingested",
                "Ask the warehouse (provhouse lineage), or run the job again and trace it",
            )

    def flow(self, landed: bool) -> CapturedFlow:
        """Return the finished writes of the block. Their files must still exist."""
        self._flow = self._current(landed)
        return self._flow

    def _current(self, landed: bool) -> CapturedFlow:
        """Return the finished writes; reuse the last result if no write has finished since."""
        if not landed:
            await_ends(self._spark)
        every = captured_writes(self._folder.path)
        writes = [each for each in every if each.state == "finished"]
        if self._flow and len(writes) == self._writes:
            return self._flow
        self._writes = len(writes)
        outputs = outputs_of(writes)
        for source in (source for output in outputs for source in output.write.sources):
            source.check_unchanged()
        for scan in (scan for output in outputs for scan in output.write.keyed):
            scan.check_unchanged(scan.files)
        if not landed:
            check_lineage(outputs)
        return CapturedFlow(self._spark, outputs, self._folder, self._rules)
