"""Capture the lineage of what a Spark job writes, and ingest it."""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.capturing.session import Captured, capturing
from provhouse.ingest.captured.land import Landed, land
from provhouse.model.errors import UsageError
from provhouse.model.paths import local_path
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.serve.process import await_generation
from provhouse.store.warehouse.layout import Layout

from .checks import check_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Capture:
    """A block whose writes are captured."""

    report: Landed | None = None
    """A summary of what is in the warehouse now; None until the block has ended."""


@contextmanager
def capture(
    spark: "SparkSession",
    warehouse: str | os.PathLike[str] = "warehouse",
    *,
    keys: Mapping[str, str | Sequence[str]] | None = None,
    run: str = "",
    **settings: object,
) -> Iterator[Capture]:
    """Capture which rows each row is derived from that Spark writes during the block.

    When the block ends, the lineage of its writes is in the warehouse, as one new generation. What
    is written, and the plan of the job, stay those of plain Spark. ``keys`` has the key columns of
    tables, by the table's name or the last part of its path. With a key, rows of sources are named
    ``orders/17``, and written rows ``report/AA@12``, where 12 is the version of this write;
    ``report/AA`` means the newest. Without a key, rows are named ``table/row id``. ``run`` is a
    name for this run of the job. ``settings`` are those of ``provhouse.open``.

    Only Parquet can be read and written, and only by the operators that ``docs/capture.md`` lists:
    joins, unions, aggregates, sorts, limits and others. For any other operator or write, UsageError
    is raised before Spark begins it.

    Raises BadInput, and ingests nothing, if a key is NULL or not unique. If an exception ends the
    block, the lineage of writes that were finished before is ingested.

    >>> with provhouse.capture(spark, "warehouse", keys={"orders": "id", "report": "line"}) as run:
    ...     report.write.parquet("out/report")
    >>> run.report.writes[0].rows
    2
    """
    check_run(run or None)
    found = Settings.load({**settings, "warehouse": local_path(warehouse)})
    columns = {table: _columns(table, key) for table, key in (keys or {}).items()}
    folder = Layout(found.warehouse).captured / secrets.token_hex(8)
    make_folder(folder)
    block, captured = Capture(), Captured()
    try:
        with capturing(spark, folder, captured):
            yield block
    finally:
        block.report = _landed(captured, columns, run, found, folder)


def _columns(table: str, key: str | Sequence[str]) -> tuple[str, ...]:
    columns = (key,) if isinstance(key, str) else tuple(key)
    if not columns or not all(columns):
        raise UsageError(
            f"The key of {table} is empty",
            "Without a declared key, rows are named by their row ids",
            f"Name its columns, or leave {table} out of keys",
        )
    return columns


def _landed(
    captured: Captured,
    keys: Mapping[str, tuple[str, ...]],
    run: str,
    settings: Settings,
    folder: Path,
) -> Landed:
    """Ingest what was captured; the folder is kept if that fails."""
    try:
        landed = land(captured.writes, keys, run, settings, Silent())
    except BaseException as error:
        error.add_note(f"What Spark wrote stays. Its associations are kept in {folder}.")
        raise
    shutil.rmtree(folder)
    if landed.generation:
        await_generation(settings, landed.generation, Silent())
    return landed
