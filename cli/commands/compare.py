"""``compare``: whether two queries give the same rows."""

from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.writer import opened

from ..options import FormOption
from ..sinks import text_of

TextArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file with one SELECT of DuckDB's SQL.")
]


def compare(
    first: TextArgument,
    second: TextArgument,
    schema: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="A file with the CREATE statements of the tables that are read."
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Compare only these columns of the results.", show_default=False
        ),
    ] = None,
    form: FormOption = None,
) -> None:
    """Compare two queries: are their rows the same, whatever the tables contain?

    The verdict is equal, equal columns, different with rows that show it, or unknown with the
    reason. No table is read and no warehouse is needed.
    """
    from provhouse.equivalence.verdict import Revision
    from provhouse.equivalence.verdict import compare as verdict_on
    from provhouse.output.results.verdict_view import VerdictResult

    ddl = text_of(schema)
    named = tuple(columns.split(",")) if columns else ()
    texts = Revision(text_of(first), ddl), Revision(text_of(second), ddl)
    try:
        found = verdict_on(*texts, named)
    except KeyError as error:
        raise UsageError(
            f"No single column {error.args[0]}",
            "A query lacks it, or has several",
            "Name columns of both results with --columns",
        ) from error
    with opened(form) as output:
        output.write(VerdictResult(found))
