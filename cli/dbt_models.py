"""The part of ``reuse`` that compares two target folders of a dbt project."""

from enum import StrEnum
from pathlib import Path

import typer

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
    lines = "jsonl"
    csv = "csv"
    parquet = "parquet"


def reuse_dbt(
    target: Path,
    base: Path,
    database: Path | None,
    schema: Path | None,
    form: ReuseForm | None,
    out: Path | None,
) -> None:
    """Write which models of a dbt project must be built; exit with status 3 if there are any."""
    from provhouse.output.results.dbt_reuse import DbtReuseResult
    from provhouse.output.results.dbt_reuse_page import github_page
    from provhouse.workflows.dbt.reuse_plan import reuse_plan

    plan = reuse_plan(target, base, database, schema)
    if form is ReuseForm.github:
        with destination(out) as handle:
            handle.write(github_page(plan))
    else:
        with opened(Form(form) if form else None, out) as output:
            output.write(DbtReuseResult(plan))
    if plan.build:
        raise typer.Exit(BUILD)
