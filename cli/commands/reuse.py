"""``reuse``: whether a stored result can be used instead of executing a revision."""

from typing import Annotated

import typer

from provhouse.model.errors import NotFound
from provhouse.output.questions.workflow_questions import AskingReuse
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, pairs
from ..sinks import SinkOption
from .executions import InputsOption


def reuse(
    ctx: typer.Context,
    revision: Annotated[
        str, typer.Argument(metavar="REVISION", help="The revision, such as tweets@r3.")
    ],
    sink: SinkOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Only these columns of the result are read.", show_default=False
        ),
    ] = None,
    inputs: InputsOption = None,
    audit: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Execute this share of the reuses in DuckDB all the same, and compare the rows.",
        ),
    ] = 0.0,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Say whether a stored result can be used instead of executing a revision.

    If it can, the answer has the path of its file, and the exit status is 0. If not, the answer has
    the reason, and the exit status is 3. It is also 3 if the decision is filter: then the answer
    has a query that computes the result from the file. Without --inputs, the inputs are those of
    the workflow's newest execution, in the state that they have now.
    """
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    pinned = tuple(pairs(inputs or [], "--inputs").items())
    named = tuple(columns.split(",")) if columns else ()
    asked = AskingReuse(revision, sink, named, pinned, audit)
    settings = invocation(ctx).settings()
    with opened(form, out, safe=safe) as output:
        with progress_display() as progress, Warehouse(settings, progress) as warehouse:
            found = warehouse.ask(asked)
            progress.clear()
        output.write(asked.written(found))
    if found.decision != "reuse":
        raise typer.Exit(NotFound.exit_status)
