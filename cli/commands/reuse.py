"""``reuse``: what need not be built again after an edit."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.file import destination
from provhouse.output.form import Form
from provhouse.output.writer import opened

BUILD = 3
"""The exit status if something must be built."""


class ReuseForm(StrEnum):
    """The values of ``--format``: those of other commands, and Markdown for GitHub."""

    github = "github"
    table = "table"
    json = "json"
    csv = "csv"


def reuse(
    dbt: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The target folder of a dbt project, compiled with the edit."
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
            help="A database file of DuckDB with the types of sources and seeds, if the base has "
            "no catalog.json.",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A file with CREATE statements that have these types, instead."
        ),
    ] = None,
    form: Annotated[
        ReuseForm | None,
        typer.Option(
            "--format",
            help="Format of the result; github is Markdown for a comment or a job summary. "
            "Default: table on a terminal, else json.",
        ),
    ] = None,
) -> None:
    """Say which models of a dbt project need no build after an edit, and why.

    Each changed model is equal, equal in the columns that its readers use, different with rows
    that show it, or undecided. No table is read and no warehouse is needed. The exit status is 0
    if nothing must be built, and 3 if something must be.
    """
    if dbt is None or base is None:
        raise UsageError(
            "Two target folders are compared", "One is missing", "Give --dbt DIR and --base DIR"
        )
    _reuse_dbt(dbt, base, database, schema, form)


def _reuse_dbt(
    target: Path, base: Path, database: Path | None, schema: Path | None, form: ReuseForm | None
) -> None:
    """Write what must be built of a dbt project."""
    from provhouse.output.results.reuse_page import github_page
    from provhouse.output.results.reuse_view import ReuseResult
    from provhouse.workflows.dbt.reuse_plan import reuse_plan

    plan = reuse_plan(target, base, database, schema)
    if form is ReuseForm.github:
        with destination(None) as handle:
            handle.write(github_page(plan))
    else:
        with opened(Form(form) if form else None) as output:
            output.write(ReuseResult(plan))
    if plan.build:
        raise typer.Exit(BUILD)
