"""Options of commands that capture a Spark application by its configuration."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from provhouse.capturing.configuration import configuration
from provhouse.checks import check_run, key_columns
from provhouse.model.settings import Settings

from .options import pairs

KeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="TABLE=COLUMN,...",
        help="Key column of a table that is read or written, by the table's name or the last part "
        "of its path; several columns are separated by commas. Repeatable.",
        show_default=False,
    ),
]
CaptureRunOption = Annotated[
    str | None, typer.Option("--run", metavar="NAME", help="A name for this run of the job.")
]
UnsupportedOption = Annotated[
    Literal["refuse", "plain"],
    typer.Option(
        "--on-unsupported",
        help="What to do with a write that cannot be captured: refuse it before Spark begins it, "
        "or run it without capture.",
    ),
]


def spark_settings(
    settings: Settings, keys: Sequence[str] | None, run: str | None, on_unsupported: str
) -> dict[str, str]:
    """Return Spark's settings for these options; raise UsageError for a key without a column."""
    check_run(run)
    columns = {table: key.split(",") for table, key in pairs(keys or [], "--key").items()}
    return configuration(
        settings.warehouse, key_columns(columns), run or "", on_unsupported == "plain"
    )
