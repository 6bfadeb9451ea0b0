"""``executions``: store the results that an execution of a revision has written."""

from enum import StrEnum
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption, pairs
from ..sinks import sinks_of


class ExecutionsAction(StrEnum):
    """The values of the argument ACTION."""

    add = "add"


InputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--inputs",
        metavar="TABLE=PLACE",
        help="The state of a table that was read: a version of a Delta table as DELTA@V, a Parquet "
        "file, a folder of Parquet files, or sha256:HEX. Repeatable.",
    ),
]


def executions(
    ctx: typer.Context,
    action: Annotated[ExecutionsAction, typer.Argument(metavar="add", help="What to do.")],
    revision: Annotated[
        str, typer.Argument(metavar="REVISION", help="The revision, such as tweets@r3.")
    ],
    sink: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SINK=FILE",
            help="The Parquet file, or folder of Parquet files, that a sink has written. "
            "Repeatable.",
        ),
    ] = None,
    inputs: InputsOption = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Columns that identify a record of the results.", show_default=False
        ),
    ] = None,
    run: Annotated[
        str, typer.Option(metavar="KEY", help="The run whose lineage was captured.")
    ] = "",
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Store the results of an execution, so that later revisions can use them.

    Each distinct result is stored once, in the warehouse. The inputs must be named in the state in
    which they were read.
    """
    from provhouse.output.results.found import FoundResult
    from provhouse.workflows.executions import add_execution
    from provhouse.workflows.revision_names import revision_name

    from ..progress_display import progress_display

    name = revision_name(revision)
    files = sinks_of(sink or [])
    if not files:
        raise UsageError("No result is named", remedy="Name its file, as result=FILE")
    pinned = pairs(inputs or [], "--inputs")
    named = tuple(key.split(",")) if key else ()
    settings = invocation(ctx).settings(wait_seconds=wait)
    with opened(form) as output:
        with progress_display() as progress:
            found = add_execution(name, files, pinned, settings, progress, key=named, run=run)
        output.write(FoundResult(found))
