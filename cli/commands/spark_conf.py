"""``spark-conf``: Spark's options to capture a job without changing its program."""

import shlex
import sys
from typing import Annotated, Any

import typer

from ..capture_options import spark_settings, with_capture
from ..invocation import invocation

SparkOption = Annotated[
    str | None,
    typer.Option(
        "--spark",
        metavar="VERSION",
        help="With --print-conf, the Spark of the job, such as 4.0, 3.5 or 3.5_2.13 (Scala 2.13); "
        "by default, that of provhouse.",
    ),
]

LandingOption = Annotated[
    str | None,
    typer.Option(
        "--landing",
        metavar="ADDRESS",
        help="With --print-conf, where the job leaves its lineage if it does not reach the "
        "warehouse's folder: hdfs://host:8020/folder, s3a://bucket/folder, or a local folder, for "
        "`provhouse ingest --captured ADDRESS`.",
    ),
]


@with_capture
def spark_conf(
    ctx: typer.Context, spark: SparkOption = None, landing: LandingOption = None, **options: Any
) -> None:
    """Print the options of spark-submit, spark-sql and pyspark that capture a job's writes.

    Use them as `spark-submit $(provhouse spark-conf) job.py`, and run `provhouse ingest --captured`
    when the job has ended.
    """
    from provhouse.capturing.spark_settings import submit_options

    settings = spark_settings(invocation(ctx).settings(), **options)
    if landing:
        del settings["spark.provhouse.warehouse"]
        settings["spark.provhouse.landing"] = landing
    words = submit_options(settings, spark)
    for option, value in zip(words[::2], words[1::2], strict=True):
        sys.stdout.write(f"{option} {shlex.quote(value)}\n")
