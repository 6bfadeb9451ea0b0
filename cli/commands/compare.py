"""``compare``: decide whether two queries give the same rows."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.writer import opened

from ..options import FormOption
from ..sinks import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from provhouse.equivalence.verdict import ComparedQuery, Verdict

TextArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file with one SELECT.")]


class Engine(StrEnum):
    """The values of the option that names the engine whose SQL the files contain."""

    duckdb = "duckdb"
    spark = "spark"


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
    engine: Annotated[
        Engine, typer.Option(help="Whose SQL the files contain. Spark needs Java.")
    ] = Engine.duckdb,
    form: FormOption = None,
) -> None:
    """Compare two queries: are their rows the same, whatever the tables contain?

    The verdict is equal, equal columns, different with rows that show it, or unknown with the
    reason. No table is read and no warehouse is needed. Queries of Spark are compared without
    examples of rows.
    """
    from provhouse.equivalence.verdict import ComparedQuery
    from provhouse.output.results.verdict_view import VerdictResult

    ddl = text_of(schema)
    named = tuple(columns.split(",")) if columns else ()
    texts = ComparedQuery(text_of(first), ddl), ComparedQuery(text_of(second), ddl)
    try:
        found = _verdict(engine)(*texts, named)
    except KeyError as error:
        raise UsageError(
            f"The column {error.args[0]} cannot be compared",
            "One of the results lacks it, or has several columns with this name",
            "Name columns of both results with --columns",
        ) from error
    with opened(form) as output:
        output.write(VerdictResult(found))


def _verdict(engine: Engine) -> "Callable[[ComparedQuery, ComparedQuery, Sequence[str]], Verdict]":
    if engine is Engine.spark:
        from provhouse.capturing.spark_texts import compare_spark

        return compare_spark
    from provhouse.equivalence.verdict import compare

    return compare
