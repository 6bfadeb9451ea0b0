"""``reuse``: whether results that exist can be used instead of building them again."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.questions.workflow_questions import AskingReuse, AskingWhyNotReused

from ..dbt_reuse import ReuseForm, reuse_dbt
from ..invocation import invocation
from ..options import OutOption, SafeOption, pairs
from ..questions import OutputOptions, answer
from ..revision_reuse import plain_form, reuse_result
from ..sinks import SinkOption
from .executions import InputsOption


def reuse(
    ctx: typer.Context,
    revision: Annotated[
        str | None, typer.Argument(metavar="REVISION", help="The revision, such as tweets@r3.")
    ] = None,
    sink: SinkOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Only these columns of the result are read.", show_default=False
        ),
    ] = None,
    inputs: InputsOption = None,
    reason: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Instead, say why the revision has to be executed: the first operator that "
            "differs. The exit status is then 0.",
        ),
    ] = False,
    audit: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Execute this share of the reuses in DuckDB all the same, and compare the rows.",
        ),
    ] = 0.0,
    dbt: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead of a revision: the target folder of a dbt project, compiled with the "
            "edit.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The target folder of the same project as it is built already."
        ),
    ] = None,
    database: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --dbt: a database file of DuckDB with the types of sources and seeds, if "
            "the base has no catalog.json.",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --dbt: a file with CREATE statements that have these types, instead.",
        ),
    ] = None,
    form: Annotated[
        ReuseForm | None,
        typer.Option(
            "--format",
            help="Format of the result. Default: by the ending of --out, or table on a terminal, "
            "else json. With --dbt, github is Markdown for a comment or a job summary.",
        ),
    ] = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Say whether results that exist can be used instead of building them again.

    With REVISION, the answer has the path of a stored result, and the exit status is 0, if its rows
    are certainly those of the revision. Otherwise, the answer has the reason, and the exit status
    is 3. It is also 3 if the decision is filter, delta or partial: then the answer has a query that
    computes the result from files, or a part of it and a query for the rest. Without --inputs, the
    inputs are those of the workflow's newest execution, in the state that they have now.

    With --dbt and --base, the answer says which models of a dbt project need no build after an
    edit. Each changed model is equal, equal in the columns that its readers use, different with
    rows that show it, or undecided. No table is read and no warehouse is needed. The exit status
    is 3 if something must be built.
    """
    if (revision is None) == (dbt is None):
        raise UsageError(
            "Reuse of a revision's result, or of models of a dbt project, is decided",
            "Both are given" if dbt else "Neither is given",
            "Give a revision such as tweets@r2, or --dbt DIR and --base DIR",
        )
    if revision is not None and reason:
        unused = {"--columns": columns, "--inputs": inputs, "--audit": audit}
        for option in (name for name, value in unused.items() if value):
            raise UsageError(f"{option} and --why are given", remedy="Leave out one of them")
        asked_why = AskingWhyNotReused(revision, sink)
        options = OutputOptions(plain_form(form), out, safe=safe)
        answer(invocation(ctx).asking(), asked_why, options)
        return
    if dbt is not None:
        if base is None:
            raise UsageError(
                "Two target folders are compared", "One is missing", "Give --dbt DIR and --base DIR"
            )
        reuse_dbt(dbt, base, database, schema, form, out)
    elif revision is not None:
        named = tuple(columns.split(",")) if columns else ()
        pinned = tuple(pairs(inputs or [], "--inputs").items())
        settings = invocation(ctx).asking()
        asked = AskingReuse(revision, sink, named, pinned, audit)
        reuse_result(settings, asked, form, out, safe)
