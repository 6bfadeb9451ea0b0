"""``spark-conf``: Spark's options to capture a job without changing its program."""

import shlex
import sys
from typing import Any

import typer

from ..capture_options import spark_settings, with_capture
from ..invocation import invocation


@with_capture
def spark_conf(ctx: typer.Context, spark: str | None, **options: Any) -> None:
    """Print the options of spark-submit, spark-sql and pyspark that capture a job's writes.

    Use them as `spark-submit $(provhouse spark-conf) job.py`, and run `provhouse ingest --captured`
    when the job has ended.
    """
    from provhouse.capturing.spark_settings import submit_options

    words = submit_options(spark_settings(invocation(ctx).settings(), **options), spark)
    for option, value in zip(words[::2], words[1::2], strict=True):
        sys.stdout.write(f"{option} {shlex.quote(value)}\n")
