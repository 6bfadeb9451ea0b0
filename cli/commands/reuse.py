"""``reuse``: decide whether existing results can be used instead of being built again."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.questions.workflow_questions import AskingReuse, AskingWhyNotReused

from ..dbt_models import ReuseForm, reuse_dbt
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
            help="Instead, state why the revision has to be executed: the first operator that "
            "differs. The exit status is then 0.",
        ),
    ] = False,
    audit: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Nevertheless execute this share of the reuses in DuckDB, and compare the rows.",
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
            metavar="DIR", help="The target folder of the same project as it was last built."
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
            help="With --dbt, instead of --database: a file with CREATE statements with the types.",
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
    """Decide whether existing results can be used instead of being built again.

    With REVISION, if a stored result certainly has the revision's rows, the answer contains the
    path of this result, and the exit status is 0. Otherwise, the answer contains the reason, and
    the exit status is 3. It is also 3 if the decision is filter, delta or partial. In these cases,
    the answer contains a query that computes the result from files, or a query for a part of the
    result and another one for the rest. Without --inputs, the inputs are those of the workflow's
    newest execution, in their current state.

    With --dbt and --base, the answer lists the models of a dbt project that need no build after an
    edit. Each changed model is equal, equal in the columns that its readers use, different (with
    rows that show the difference), or undecided. The command reads no table and needs no
    warehouse. The exit status is 3 if something must be built.
    """
    if (revision is None) == (dbt is None):
        raise UsageError(
            "It is not clear whether a revision's result or a dbt project is to be reused",
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
                "--dbt compares two target folders", "--base is missing", "Add --base DIR"
            )
        reuse_dbt(dbt, base, database, schema, form, out)
    elif revision is not None:
        named = tuple(columns.split(",")) if columns else ()
        pinned = tuple(pairs(inputs or [], "--inputs").items())
        settings = invocation(ctx).asking()
        asked = AskingReuse(revision, sink, named, pinned, audit)
        reuse_result(settings, asked, form, out, safe)
