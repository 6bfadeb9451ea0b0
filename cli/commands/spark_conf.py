"""``spark-conf``: Spark's options to capture a job without changing its program."""

import shlex
import sys

import typer

from ..capture_options import (
    BudgetMbOption,
    BudgetSecondsOption,
    CaptureRunOption,
    KeyOption,
    SampleOption,
    UnsupportedOption,
    ValuesOption,
    spark_settings,
)
from ..invocation import invocation


def spark_conf(
    ctx: typer.Context,
    key: KeyOption = None,
    run: CaptureRunOption = None,
    on_unsupported: UnsupportedOption = "refuse",
    budget_mb: BudgetMbOption = None,
    budget_seconds: BudgetSecondsOption = None,
    sample: SampleOption = None,
    values: ValuesOption = False,
) -> None:
    """Print the options of spark-submit, spark-sql and pyspark that capture a job's writes.

    Use them as `spark-submit $(provhouse spark-conf) job.py`, and run `provhouse ingest --captured`
    when the job has ended.
    """
    from provhouse.capturing.spark_settings import submit_options

    settings = invocation(ctx).settings()
    limits = budget_mb, budget_seconds, sample, values
    found = spark_settings(settings, key, run, on_unsupported, *limits)
    words = submit_options(found)
    for option, value in zip(words[::2], words[1::2], strict=True):
        sys.stdout.write(f"{option} {shlex.quote(value)}\n")
