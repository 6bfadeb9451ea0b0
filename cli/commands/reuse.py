"""``reuse``: which results of an earlier revision are still right."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import NotFound, UsageError
from provhouse.output.writer import opened

from ..options import FormOption


def reuse(
    dbt: Annotated[
        Path | None,
        typer.Option(
            "--dbt",
            metavar="DIR",
            help="The target folder of a dbt project, as the pull request compiles it.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            "--base", metavar="DIR", help="The target folder of the branch that is built already."
        ),
    ] = None,
    database: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A database file of DuckDB with the types of sources and seeds."
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CREATE statements with the types of sources and seeds."),
    ] = None,
    form: FormOption = None,
) -> None:
    """Say which models of a dbt project need no build after an edit, and why.

    The exit status is 0 if no model must be built, and 3 if one must be.
    """
    if dbt is None or base is None:
        raise UsageError("Two folders are compared", "", "Give --dbt DIR and --base DIR")
    from provhouse.workflows.dbt.reuse_plan import reuse_plan
    for x in reuse_plan(dbt, base, database, schema).__dict__.items(): print(x)
