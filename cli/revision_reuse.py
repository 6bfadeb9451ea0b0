"""The part of ``reuse`` that decides on the stored result of a revision."""

from pathlib import Path

import typer

from provhouse.model.errors import NotFound, UsageError
from provhouse.model.settings import Settings
from provhouse.output.form import Form
from provhouse.output.questions.workflow_questions import AskingReuse
from provhouse.output.writer import opened

from .dbt_models import ReuseForm
from .questions import found


def plain_form(form: ReuseForm | None) -> Form | None:
    """Return ``form`` as a format that every command supports; raise UsageError for Markdown."""
    if form is ReuseForm.github:
        raise UsageError(
            "The format github is for --dbt", "A revision is given", "Choose another --format"
        )
    return Form(form) if form else None


def reuse_result(
    settings: Settings, asked: AskingReuse, form: ReuseForm | None, out: Path | None, safe: bool
) -> None:
    """Write the decision on a revision's result; exit with status 3 unless the result is reused."""
    from .progress_display import progress_display

    with opened(plain_form(form), out, safe=safe) as output:
        with progress_display() as progress:
            decided = found(settings, asked, progress)
            progress.clear()
        output.write(asked.written(decided))
    if decided.decision != "reuse":
        raise typer.Exit(NotFound.exit_status)
