"""Options of commands that capture a Spark application through its configuration."""

import inspect
from collections.abc import Callable
from typing import Annotated, Literal

import typer

from provhouse.capturing.spark_settings import configuration
from provhouse.checks import check_limit, check_run, check_sample, key_columns
from provhouse.model.settings import Settings

from .options import pairs


def spark_settings(
    settings: Settings,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="TABLE=COLUMN,...",
            help="Key column of a table that is read or written, by the table's name or the last "
            "part of its path; several columns are separated by commas. Repeatable.",
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="NAME", help="A name for this run of the job.")
    ] = None,
    on_unsupported: Annotated[
        Literal["refuse", "plain"],
        typer.Option(
            "--on-unsupported",
            help="What to do with a write that cannot be captured: refuse it before Spark begins "
            "it, or run it without capture.",
        ),
    ] = "refuse",
    budget_mb: Annotated[
        float | None,
        typer.Option(
            "--budget-mb",
            metavar="MB",
            help="The largest size of a write's association files, in megabytes; beyond it, the "
            "write goes on without capture.",
        ),
    ] = None,
    budget_seconds: Annotated[
        float | None,
        typer.Option(
            "--budget-seconds",
            metavar="SECONDS",
            help="The longest time to capture a write, in seconds; beyond it, the write goes on "
            "without capture.",
        ),
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            "--sample",
            metavar="PART",
            help="The fraction of each write's rows whose lineage is kept, such as 0.01; answers "
            "state that they rest on a sample.",
        ),
    ] = None,
    values: Annotated[
        bool,
        typer.Option(
            "--values",
            help="Also capture the values that rows contribute to aggregates, so that `provhouse "
            "what-if` can compute the aggregates again.",
        ),
    ] = False,
) -> dict[str, str]:
    """Return Spark's settings for these options.

    Raises UsageError for a key without a column, for a budget that is not above 0, and for a sample
    that is not a fraction of the rows.
    """
    check_run(run)
    for name, limit in (("--budget-mb", budget_mb), ("--budget-seconds", budget_seconds)):
        check_limit(name, limit)
    columns = {table: text.split(",") for table, text in pairs(key or [], "--key").items()}
    return configuration(
        settings.warehouse,
        key_columns(columns),
        run or "",
        on_unsupported == "plain",
        budget_mb=budget_mb,
        budget_seconds=budget_seconds,
        sample=check_sample("--sample", sample),
        values=values,
    )


def with_capture(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of ``spark_settings`` to a command, before its option ``--wait``."""
    own = {**inspect.signature(command).parameters}
    del own["options"]
    last = [own.pop("wait")] if "wait" in own else []
    _, *options = inspect.signature(spark_settings).parameters.values()
    signature = inspect.Signature([*own.values(), *options, *last])
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command
