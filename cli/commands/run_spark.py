"""``run-spark``: run a Spark job in Python, and ingest the lineage of its writes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from provhouse.model.errors import BadInput, ProvhouseError, UsageError
from provhouse.model.paths import local_path
from provhouse.model.settings import Settings

from ..capture_options import spark_settings, with_capture
from ..invocation import invocation
from ..options import WaitOption
from .spark_conf import LandingOption, SparkOption, spark_conf

if TYPE_CHECKING:
    from provhouse.capturing.scripts import Ran


@with_capture
def run_spark(
    ctx: typer.Context,
    script: Annotated[
        Path | None,
        typer.Argument(parser=local_path, metavar="SCRIPT", help="A Python program."),
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGUMENTS]...", help="Its arguments.")
    ] = None,
    print_conf: Annotated[
        bool,
        typer.Option(
            "--print-conf",
            help="Run nothing: print options of spark-submit, spark-sql and pyspark that capture a "
            "job's writes, to use as `spark-submit $(provhouse run-spark --print-conf) job.py`.",
        ),
    ] = False,
    spark: SparkOption = None,
    landing: LandingOption = None,
    wait: WaitOption = None,
    **options: Any,
) -> None:
    """Run an unchanged Spark job in Python, and ingest the lineage of its writes.

    Options of this command come before SCRIPT. The exit status is the script's. If the ingest fails
    because another process writes, a message says how to repeat it.
    """
    if print_conf and script is None:
        spark_conf(ctx, spark, landing, **options)
        return
    if spark is not None or landing is not None:
        raise UsageError(
            "A script runs with provhouse's own Spark, and its lineage goes into the warehouse",
            "--spark and --landing belong to --print-conf",
            "Leave them out, or pass the printed options to the spark-submit of the job",
        )
    if script is None or print_conf:
        raise UsageError(
            "It is not clear what to run",
            "SCRIPT and --print-conf are both given" if print_conf else "SCRIPT is missing",
            "Name a Python program, or print options with --print-conf",
        )

    from provhouse.capturing.scripts import run_script

    settings = invocation(ctx).settings(wait_seconds=wait)
    configured = spark_settings(settings, **options)
    if not script.is_file():
        raise UsageError(f"Cannot run {script}", "There is no such file", "Name a Python program")
    ran = run_script(script, arguments or [], configured)
    if not ran.folders and not ran.status:
        raise UsageError(
            f"No Spark session of {script} was captured",
            "The script started no session in its own process, or none with the configuration of "
            "PYSPARK_SUBMIT_ARGS and SPARK_DIST_CLASSPATH",
            "Put provhouse.capture around its writes, or use the options that "
            "`provhouse run-spark --print-conf` prints",
        )
    _ingest(ran, settings)
    raise typer.Exit(ran.status)


def _ingest(ran: "Ran", settings: Settings) -> None:
    """Ingest the lineage of the script's writes; raise only errors that would occur again on a
    retry.

    An error of the script itself takes precedence.
    """
    from provhouse.ingest.landing.land_left import together
    from provhouse.output.form import Form
    from provhouse.output.results.captured import CapturedResult
    from provhouse.output.writer import writer_of
    from provhouse.store.warehouse.captured_blocks import await_driver
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    folders = [folder for folder in ran.folders if folder.exists()]
    try:
        with progress_display() as progress, Warehouse(settings, progress) as warehouse:
            for folder in folders:
                await_driver(folder)
            landed = together([warehouse.ingest_captured(folder) for folder in folders])
    except ProvhouseError as error:
        if isinstance(error, BadInput | UsageError) and not ran.status:
            raise
        sys.stderr.write(f"provhouse: The lineage is not in the warehouse: {error}\n")
        sys.stderr.write("provhouse: To ingest it later: provhouse ingest --captured\n")
        return
    writer_of(Form.table, sys.stderr).write(CapturedResult(landed))
    if landed.writes:
        table = landed.writes[0].table
        sys.stderr.write(
            f"To ask: provhouse find {table}/ --limit 5, then provhouse lineage with a name\n"
        )
