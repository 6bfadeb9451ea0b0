"""``revisions``: store revisions of workflows, list them, and show what changed."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from provhouse.model.errors import UsageError
from provhouse.model.paths import local_path
from provhouse.output.form import Form
from provhouse.output.questions.asking import Asking
from provhouse.output.questions.workflow_questions import (
    AskingResponsibleInputs,
    AskingRevisionDiff,
    AskingRevisions,
)
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, WaitOption, pairs
from ..questions import OutputOptions, answer
from ..sinks import SinkOption, sinks_of, text_of
from .executions import ExecutionsAction, InputsOption, executions


class RevisionsAction(StrEnum):
    """The values of the argument ACTION."""

    add = "add"
    list = "list"
    log = "log"
    diff = "diff"
    run = "run"
    rerun = "rerun"


class SourceOption(StrEnum):
    """The values of the option --from."""

    sql = "sql"
    spark = "spark"
    dbt = "dbt"
    texera = "texera"
    json = "json"


def revisions(
    ctx: typer.Context,
    action: Annotated[
        RevisionsAction, typer.Argument(metavar="add|list|log|diff|run|rerun", help="What to do.")
    ] = RevisionsAction.list,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="For log: a workflow. For diff: two revisions. For add: a workflow, and FILE or "
            "SINK=FILE for each sink, or the target folder of dbt, or the file of Texera; without "
            "a name, the sink is result. For run: a revision, and the Parquet file that each sink "
            "has written. For rerun: a revision, and the Parquet file to write.",
        ),
    ] = None,
    source: Annotated[
        SourceOption,
        typer.Option(
            "--from",
            help="What the files are: DuckDB's SQL, Spark's SQL, a project that dbt has compiled, "
            "a workflow of Texera, or a stored plan.",
        ),
    ] = SourceOption.sql,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="For add: a file with the CREATE statements of the tables."
        ),
    ] = None,
    sink: SinkOption = None,
    records: Annotated[
        bool, typer.Option("--records", help="For diff: compare the records of the results too.")
    ] = False,
    lineage: Annotated[
        bool,
        typer.Option(
            "--lineage", help="For diff: show the inputs of the records that differ, instead."
        ),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="For diff and run: columns that identify a record.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="For diff: show at most N records.")
    ] = 100,
    inputs: InputsOption = None,
    captured: Annotated[
        str, typer.Option("--run", metavar="KEY", help="For run: the run that was captured.")
    ] = "",
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
    wait: WaitOption = None,
) -> None:
    """List workflows or their revisions, store a revision, or show what changed between two.

    A revision is what a workflow computes, at one time: a query for each of its sinks. A revision
    that equals the newest one is not stored again. diff compares the queries and, with --records,
    the results of their newest executions: which records were added, removed or changed, and
    whether the code or the data are the cause. With --lineage, diff shows the sources of these
    records in two captured runs. run stores the results of an execution, so that later revisions
    can use them. rerun updates the result of an earlier execution after records of one input have
    changed: it executes only the slices of the query that these records touch, and stores the new
    result.
    """
    given = names or []
    if action is RevisionsAction.run:
        revision, *files = given or [""]
        executions(ctx, ExecutionsAction.add, revision, files, inputs, key, captured, form, wait)
        return
    if action is RevisionsAction.rerun:
        _rerun(ctx, given, inputs, form, wait)
        return
    if action is RevisionsAction.diff:
        if len(given) != 2:
            raise UsageError("revisions diff takes two revisions", remedy="Name them as tweets@r3")
        before, after = given
        columns = tuple(key.split(",")) if key else ()
        compared: Asking[Any] = AskingRevisionDiff(before, after, sink, records, columns, limit)
        if lineage:
            compared = AskingResponsibleInputs(before, after, sink, limit)
        answer(invocation(ctx).asking(), compared, OutputOptions(form, out, safe=safe))
        return
    if action is RevisionsAction.add:
        _add(ctx, given, source, schema, form, wait)
        return
    if len(given) != (action is RevisionsAction.log):
        raise UsageError(f"revisions {action} takes {'one workflow' if given else 'a workflow'}")
    asked = AskingRevisions(given[0] if given else None)
    answer(invocation(ctx).asking(), asked, OutputOptions(form, out, safe=safe))


def _add(
    ctx: typer.Context,
    given: Sequence[str],
    source: SourceOption,
    schema: Path | None,
    form: Form | None,
    wait: int | None,
) -> None:
    from provhouse.output.results.found import FoundResult
    from provhouse.workflows.add_from import add_from

    from ..progress_display import progress_display

    whole = source in (SourceOption.dbt, SourceOption.texera)  # one file has all sinks
    no_schema = schema is None and source not in (SourceOption.json, SourceOption.dbt)
    if len(given) < 2 or no_schema or (whole and len(given) > 2):
        raise UsageError(
            "The revision is not complete",
            "A workflow, a file or --schema is missing, or several folders of dbt or files of "
            "Texera are given",
            "Use provhouse revisions add WORKFLOW FILE --schema DDL, or WORKFLOW TARGET --from dbt",
        )
    workflow, *files = given
    ddl = text_of(schema) if schema else ""
    texts: str | dict[str, str] = files[0]
    if source is SourceOption.texera:
        texts = text_of(local_path(files[0]))
    elif source is not SourceOption.dbt:
        texts = {sink: text_of(path) for sink, path in sinks_of(files).items()}
    settings = invocation(ctx).settings(wait_seconds=wait)
    with opened(form) as output:
        with progress_display() as progress:
            added = add_from(source.value, workflow, texts, ddl, settings, progress)
        output.write(FoundResult(added))


def _rerun(
    ctx: typer.Context,
    given: Sequence[str],
    inputs: Sequence[str] | None,
    form: Form | None,
    wait: int | None,
) -> None:
    from provhouse.output.results.found import FoundResult
    from provhouse.workflows.rerun import rerun

    from ..progress_display import progress_display

    if len(given) != 2:
        raise UsageError("revisions rerun takes a revision and a file", remedy="Name it SINK=FILE")
    ((sink, path),) = sinks_of(given[1:]).items()
    states = pairs(inputs or [], "--inputs")
    settings = invocation(ctx).settings(wait_seconds=wait)
    with opened(form) as output:
        with progress_display() as progress:
            found = rerun(given[0], sink, path, states, settings, progress)
        output.write(FoundResult(found))
