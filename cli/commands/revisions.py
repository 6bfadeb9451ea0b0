"""``revisions``: store revisions of workflows, list them, and show what changed."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.form import Form
from provhouse.output.questions.workflow_questions import AskingRevisions
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption, WaitOption
from ..questions import OutputOptions, answer
from ..sinks import sinks_of, text_of


class RevisionsAction(StrEnum):
    """The values of the argument ACTION."""

    add = "add"
    list = "list"
    log = "log"


class SourceOption(StrEnum):
    """The values of the option --from."""

    sql = "sql"
    json = "json"


def revisions(
    ctx: typer.Context,
    action: Annotated[
        RevisionsAction, typer.Argument(metavar="add|list|log", help="What to do.")
    ] = RevisionsAction.list,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORKFLOW] [[SINK=]FILE]...",
            help="For log: the workflow. For add: the workflow and a file for each sink. The sink "
            "of a file without a name is result.",
        ),
    ] = None,
    source: Annotated[
        SourceOption,
        typer.Option("--from", help="The language of the files: DuckDB's SQL, or a stored plan."),
    ] = SourceOption.sql,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="For add: a file with the CREATE statements of the tables."
        ),
    ] = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
    wait: WaitOption = None,
) -> None:
    """List workflows, list the revisions of a workflow, or store a new revision.

    A revision is what a workflow computes, at one time: a query for each of its sinks. A revision
    that equals the newest one is not stored again.
    """
    given = names or []
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
    from provhouse.output.results.stored_rows import AddedResult
    from provhouse.workflows.revisions import add_revision

    from ..progress_display import progress_display

    if len(given) < 2 or (schema is None and source is SourceOption.sql):
        raise UsageError(
            "The revision is not complete",
            "A workflow, a file or --schema is missing",
            "Use provhouse revisions add WORKFLOW FILE --schema DDL",
        )
    workflow, *files = given
    texts = {sink: text_of(path) for sink, path in sinks_of(files).items()}
    ddl = text_of(schema) if schema else ""
    settings = invocation(ctx).settings(wait_seconds=wait)
    with opened(form) as output:
        with progress_display() as progress:
            added = add_revision(workflow, texts, source, ddl, settings, progress)
        output.write(AddedResult(added))
