"""``reuse``: what need not be built again after an edit."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError

from ..dbt_reuse import ReuseForm, reuse_dbt


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
    reuse_dbt(dbt, base, database, schema, form)
