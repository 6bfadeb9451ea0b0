"""Capture the lineage of what a Spark job writes, and ingest it or leave it for an ingest."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Literal

from provhouse.capturing.jvm_rules import Budget, CaptureReports, Landing, capturing
from provhouse.model.errors import UsageError
from provhouse.model.extras import require, require_whole

from .captured_block import Capture, Choices
from .checks import DeclaredKey, check_limit, check_run, check_sample, key_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def capture(
    spark: "SparkSession",
    warehouse: str | os.PathLike[str] = "warehouse",
    *,
    landing: str | None = None,
    keys: Mapping[str, DeclaredKey] | None = None,
    run: str = "",
    tables: Sequence[str] | None = None,
    on_unsupported: Literal["refuse", "plain"] = "refuse",
    budget_mb: float | None = None,
    budget_seconds: float | None = None,
    sample: float | None = None,
    values: bool = False,
    workflow: str | None = None,
    **settings: object,
) -> Iterator[Capture]:
    """Capture, for each row that Spark writes during the block, the rows it is derived from.

    When the block ends, the lineage of its writes is in the warehouse, as one new generation. The
    written files and the job's plan are the same as in plain Spark. ``keys`` maps tables, by name
    or by the last part of their path, to their key columns. With a key, rows of sources are named
    ``orders/17``, and written rows ``report/AA@12``, where 12 is the version of this write;
    ``report/AA`` means the newest. For tables of RDDs, a key is a function of a record, such as
    ``lambda line: line.split()[0]``. Without a key, rows are named ``table/row id``. ``run`` is a
    name for this run of the job. ``tables`` are the names of the tables whose writes are captured.
    Plain Spark writes all other tables, and later jobs read them as sources. ``settings`` are the
    same as for ``provhouse.open``.

    ``docs/capture.md`` lists the covered sources, writes and operators, such as joins, unions,
    aggregates, sorts and limits. A write with any other operator raises UsageError before Spark
    begins the write. If ``on_unsupported`` is ``"plain"``, the write runs without capture instead,
    and the report and ``provhouse status`` list it. ``run.context`` always refuses calls that it
    does not cover. If a write takes longer than ``budget_seconds``, or produces more than
    ``budget_mb`` megabytes of association files, capture of this write stops: Spark finishes the
    write with a warning, and none of its lineage is ingested.

    With ``sample``, such as 0.01, only this fraction of the rows of each write keeps its lineage.
    Answers that could contain the other rows are marked as partial. With a sample, writes whose
    rows can only be identified by a key, such as writes of CSV files, are refused. With ``values``,
    the lineage also records the value that each source row gives to an aggregate, so that
    ``what_if`` can compute the aggregate again.

    With ``landing``, an address on any file system of Hadoop, such as ``hdfs://namenode:8020/x``,
    the block leaves its lineage there, and ``provhouse ingest --captured ADDRESS`` ingests it later
    on another machine. Such a block needs only the package ``provhouse-capture``; ``warehouse`` is
    not used, ``run.report`` stays None, and ``workflow``, ``run.context``, ``run.trace`` and
    ``run.smallest`` are refused.

    With ``workflow``, the block is a revision of this workflow: when the lineage has landed,
    provhouse stores the plan of each table that the block writes, and the results with the states
    of their inputs (see ``docs/revisions.md``). ``run.report.revision`` is its name.

    Raises BadInput if a key is NULL or not unique, or if the lineage of a write cannot be right.
    This write, and all writes that build on it, are then not ingested. All other writes are
    ingested. The report lists both groups. If the ingest fails in another way, for example because
    another process writes, the job goes on with a warning, and the report names the folder to
    ingest later. If an exception ends the block, the lineage of the writes finished before it is
    ingested.

    >>> with provhouse.capture(spark, "warehouse", keys={"orders": "id", "report": "line"}) as run:
    ...     report.write.parquet("out/report")
    >>> run.report.writes[0].rows
    2
    """
    if landing is None:
        require_whole("A captured block without landing")
        require("spark")
    else:
        _check_landing(landing, workflow, settings)
    check_run(run or None)
    columns = key_columns(keys or {})
    if on_unsupported not in ("refuse", "plain"):
        raise UsageError(
            "Unknown value of on_unsupported", f"It is {on_unsupported!r}", "Use refuse or plain"
        )
    if isinstance(tables, str):
        raise UsageError("tables is a string", f"It is {tables!r}", f"Use tables=[{tables!r}]")
    budget = Budget(
        round(1e6 * check_limit("budget_mb", budget_mb)),
        check_limit("budget_seconds", budget_seconds),
    )
    part = check_sample("sample", sample)
    choices = Choices(run, tables, on_unsupported == "plain", part)
    captured = CaptureReports()
    block = Capture(
        spark,
        None,
        columns,
        _captured=captured,
        _tables=tables,
        _budget=budget,
        _functions={table: key for table, key in (keys or {}).items() if callable(key)},
    )
    rules = partial(
        capturing,
        spark,
        captured=captured,
        keys=columns,
        plain=choices.plain,
        tables=tables,
        budget=budget,
        sampled=part < 1,
        values=values,
    )
    if landing is not None:
        with rules(Landing(landing, run, part)):
            yield block
        for each in captured.refusals:
            warnings.warn(
                f"{each.name} was written without its lineage. {each.reason}", stacklevel=3
            )
        return
    from .landing import landing_block  # the package provhouse-capture lacks it

    given = {**settings, "warehouse": warehouse}
    yield from landing_block(block, captured, rules, choices, given, workflow)


def _check_landing(landing: str, workflow: str | None, settings: Mapping[str, object]) -> None:
    if not isinstance(landing, str) or not landing.strip():
        raise UsageError(
            "landing is not an address",
            f"It is {landing!r}",
            "Name a folder, or an address such as hdfs://namenode:8020/lineage",
        )
    of_warehouse = [*settings, *(["workflow"] if workflow is not None else [])]
    if of_warehouse:
        raise UsageError(
            f"A block with landing has no {of_warehouse[0]}",
            "It belongs to the warehouse, which the block does not open",
            f"Leave out {of_warehouse[0]}, or leave out landing",
        )
