"""A block whose writes are captured, as the program that captures it sees it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from provhouse.capturing.jvm_rules import NO_BUDGET, Budget, CaptureReports, marked, saying
from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

    from provhouse.capturing.rdds.context import LineageContext
    from provhouse.capturing.rdds.declared_keys import KeyOf
    from provhouse.capturing.walks.cursor import Cursor
    from provhouse.capturing.walks.fault_tests import Test
    from provhouse.capturing.walks.rdd_replay import Program
    from provhouse.capturing.walks.smallest import Smallest
    from provhouse.capturing.walks.traces import Traces
    from provhouse.ingest.landing.landed import Landed
    from provhouse.store.warehouse.kept_folder import KeptFolder


@dataclass(frozen=True)
class Choices:
    """The arguments of ``provhouse.capture`` that an ingest of the block needs too."""

    run: str
    tables: Sequence[str] | None
    plain: bool
    """Whether writes that are not covered run without capture."""
    sample: float


@dataclass
class Capture:
    """A block whose writes are captured."""

    spark: "SparkSession"
    report: "Landed | None" = None
    """The outcome of each write; None before the block has ended, and with ``landing``."""
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """The declared key columns of each table."""
    _folder: "KeptFolder | None" = field(default=None, repr=False)
    _traces: "Traces | None" = field(default=None, repr=False)
    _captured: CaptureReports = field(default_factory=CaptureReports, repr=False)
    _context: "LineageContext | None" = field(default=None, repr=False)
    _tables: Sequence[str] | None = field(default=None, repr=False)
    _budget: Budget = field(default=NO_BUDGET, repr=False)
    _functions: "Mapping[str, KeyOf]" = field(default_factory=dict, repr=False)

    @property
    def context(self) -> "LineageContext":
        """The Spark context of the block. It captures the lineage of the RDDs that it reads and
        saves.

        It has the methods of ``SparkContext`` that read files, and its RDDs have the methods of
        Spark's RDDs: ``docs/rdds.md``. Any other call is refused, also with ``on_unsupported``
        ``"plain"``. Raises UsageError outside of the block, and for a block with a budget.

        >>> with provhouse.capture(spark, "warehouse") as run:
        ...     lines = run.context.textFile("log")
        ...     codes = lines.map(lambda line: (line.split()[1], 1)).reduceByKey(add)
        ...     codes.saveAsTextFile("codes")
        """
        if self._captured.ended or self._budget != NO_BUDGET:
            raise _no_context(self._captured.ended)
        folder = self._local("run.context")
        from provhouse.capturing.rdds.context import LineageContext

        if self._context is None:
            self._context = LineageContext(
                self.spark.sparkContext,
                self._captured,
                folder.path,
                self.keys,
                self._tables,
                self._functions,
            )
        return self._context

    def mark(self, frame: "DataFrame", table: str) -> "DataFrame":
        """Return a frame with the same rows, and make them items of a table in the block's lineage.

        Lineage then leads from ``report/AA`` to ``cleaned/17``, and from there to the sources, as
        if the rows had been written to a table ``cleaned``. ``keys`` must contain the table's key.
        Spark's results do not change. Raises UsageError for a table without a key, for a frame
        without the key's columns, and outside of the block. A key that is NULL or not unique is an
        error when the block ends.

        >>> keys = {"orders": "id", "cleaned": "id", "report": "customer"}
        >>> with provhouse.capture(spark, "warehouse", keys=keys) as run:
        ...     cleaned = run.mark(orders.where("price > 0"), "cleaned")
        ...     cleaned.groupBy("customer").sum("price").write.parquet("out/report")
        """
        _check_text("name of a table", table)
        if self._captured.ended:
            raise UsageError(
                "run.mark belongs to a block that has ended",
                "Rows marked now would be in no lineage",
                "Mark a frame inside of the block that writes it",
            )
        if table not in self.keys:
            raise UsageError(
                f"The marked table {table} has no key",
                "Marked rows are in no file, so only a key can name them",
                f"Declare it: keys={{{table!r}: 'id'}}",
            )
        return marked(frame, table, self.keys[table])

    def trace(self, table: str) -> "Cursor":
        """Return a cursor at the rows of a table that the block has written or read.

        The cursor goes back to the rows of sources, and forwards again, in the session of the
        block: ``docs/tracing.md``. It works for every finished write, inside the block and after
        it, until ``close`` is called. Raises UsageError for a table that the block has neither
        written nor read, or whose lineage could not be ingested.

        >>> with provhouse.capture(spark, "warehouse", keys={"orders": "id"}) as run:
        ...     report.write.parquet("out/report")
        >>> run.trace("report").where("carrier = 'AA'").go_back_all().show()
        """
        return self._started().trace(table, self.report is not None)

    @overload
    def replay(self, frame: "DataFrame", *, without: "Cursor") -> "DataFrame": ...

    @overload
    def replay(self, frame: "Program", *, without: "Cursor") -> "RDD[Any]": ...

    def replay(self, frame: "DataFrame | Program", *, without: "Cursor") -> "DataFrame | RDD[Any]":
        """Compute a frame again without the rows of a cursor, and return it.

        Instead of a frame, you can pass the function that made an RDD from ``run.context``.
        ``replay`` calls this function with a context that reads the same files without these rows,
        and returns an RDD of plain Spark. Tables that the block has written are computed again too,
        unless the cursor is at their rows. Nothing is written, and Spark computes nothing before an
        action. Raises UsageError if the frame reads a source that is neither Parquet nor Delta, or
        one that was cached before the block; for a cursor at groups; and if the frame reads no
        table of the cursor's rows. Raises BadInput if a file has changed.

        >>> guest = run.trace("log").where("line LIKE '%Guest%'")
        >>> run.replay(codes, without=guest).show()
        """
        return without.left_out(frame)

    def smallest(
        self, wrong: "Cursor | DataFrame", test: "Test", *, program: "Program | None" = None
    ) -> "Smallest":
        """Return a smallest set of input records with which a row is still wrong.

        The program that wrote the row is computed again on parts of the row's lineage, until no
        record can be left out. ``test`` decides whether a row is wrong: a condition in SQL, a
        function of a row, or a ready test of ``provhouse.faults``. If the table has a key, only
        rows with the same key are tested. With ``faults.raises()``, ``wrong`` is a frame whose
        computation fails. For a line of an RDD, pass the ``program`` that made the RDD, as for
        ``replay``; the line is tested as the column ``value``. Nothing is written. Raises
        UsageError if the cursor is not at one row that the block has written, or if a replay on the
        whole lineage is not wrong. Raises the errors of ``replay`` too.

        >>> row = run.trace("report").where("carrier = 'AA'")
        >>> run.smallest(row, test="delay > 100").show()
        """
        return self._started().smallest(wrong, test, self.keys, self.report is not None, program)

    def _started(self) -> "Traces":
        folder = self._local("A walk in the session")
        from provhouse.capturing.walks.traces import Traces

        if self._traces is None:
            self._traces = Traces(self.spark, folder, self._captured.rules)
        return self._traces

    def _local(self, wanted: str) -> "KeptFolder":
        """Return the block's folder; raise UsageError if its lineage is left at an address."""
        if self._folder is None:
            raise UsageError(
                f"{wanted} is not possible in a block with landing",
                "The lineage of the block is left at its address, not in a warehouse",
                "Leave out landing, and name the warehouse",
            )
        return self._folder

    def close(self) -> None:
        """Remove the association files, which ``trace`` reads. They are kept until this call.

        The lineage in the warehouse stays. Cursors of this block can no longer be used.
        """
        if self._folder:
            self._folder.close()

    @contextmanager
    def op(self, text: str) -> Iterator[None]:
        """Name the operation of this thread's writes during the block.

        Questions then show this name instead of a derived one, such as ``report: aggregate by
        line``. If a write merges rows in several ways, it has several operations, and all their
        names begin with this name. Raises UsageError if the text is empty.

        >>> with provhouse.capture(spark, "warehouse", keys={"orders": "id"}) as run:
        ...     with run.op("average delay"):
        ...         delays.write.parquet("out/delays")
        """
        _check_text("text of an operation", text)
        with saying(self.spark, op=text):
            yield

    @contextmanager
    def module(self, name: str, *, state: Sequence[str] = ()) -> Iterator[None]:
        """Assign this thread's writes to the module ``name``.

        ``provhouse list ops`` shows the name with the operations of this thread's writes during the
        block. ``state`` names the tables in which the module keeps rows from run to run: triples
        from these rows have the role ``state``. Raises UsageError if a name is empty.
        """
        for each in (name, *state):
            _check_text("name of a module or table", each)
        with saying(self.spark, module=name, state_tables=json.dumps([*state])):
            yield


def _no_context(ended: bool) -> UsageError:
    if ended:
        return UsageError(
            "run.context belongs to a block that has ended",
            "RDDs read now would have no lineage",
            "Read and save RDDs inside of the block",
        )
    return UsageError(
        "run.context cannot be used in a block with a budget",
        "Capture of RDDs cannot stop in the middle of a write",
        "Leave out budget_mb and budget_seconds, or capture the RDDs in a block of their own",
    )


def _check_text(what: str, text: str) -> None:
    if not text.strip():
        raise UsageError(f"The {what} is empty", f"It is {text!r}", "Give a name that is not empty")
