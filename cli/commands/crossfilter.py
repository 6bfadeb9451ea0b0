"""``crossfilter``: serve a page with linked views of a file."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from provhouse.model.errors import ProvhouseError, Unavailable, UsageError
from provhouse.model.paths import local_path

from ..invocation import invocation

if TYPE_CHECKING:
    from provhouse.interactive.charts.binning import Binning
    from provhouse.interactive.charts.file_records import FileRecords
    from provhouse.interactive.charts.linked_views import ChartViews


def crossfilter(
    ctx: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            parser=local_path,
            help="A Parquet, CSV, Arrow or DuckDB file, recognized by its ending.",
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="COLUMN[=HOW]",
            help="Show a column as bars. HOW is a number of ranges or of most frequent strings; "
            "borders, such as 0,15,60; a span, such as 0..60; log; clip; or day, month or year. "
            "Repeatable. Default: the first columns that can be shown.",
        ),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="X,Y[=N]",
            help="Show two columns as a grid of cells, with N ranges each. Repeatable.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="COLUMN",
            help="A column of numbers; the page can show its sums and averages. Repeatable.",
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The table to show, for a DuckDB file with several."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that identifies records in saved lineage. Default: their position in "
            "the file, or their rowid in DuckDB.",
        ),
    ] = None,
    link: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=local_path,
            help="A second file, whose columns can be shown and brushed too. Needs --on.",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN[=KEY]",
            help="The column that refers to a record of --link. Default KEY: the same name.",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(metavar="PORT", min=0, max=65535, help="Port on this machine; 0: a free one."),
    ] = 0,
    budget: Annotated[
        int, typer.Option("--budget-mb", metavar="MB", min=1, help="Memory for rows and cubes.")
    ] = 2048,
) -> None:
    """Show linked views of a file in the browser.

    Prints a link, and serves the page on this machine until Ctrl-C. Brush bars in a view, and the
    other views show only their records. The link works once, in one tab. Starts neither Java, Spark
    nor Neo4j.

    The page can save the lineage of the selection as a trace in the current folder. With `provhouse
    --warehouse DIR crossfilter`, it also ingests the trace there.
    """
    from provhouse.interactive.charts.file_records import FileRecords
    from provhouse.interactive.charts.linked_records import other_records
    from provhouse.serve.charts.file_page import FilePage
    from provhouse.serve.charts.serving import check_free, serve

    from ..progress_display import progress_display

    if (link is None) != (on is None):
        raise UsageError(
            "--link and --on belong together",
            "One of them is missing",
            "Name the second file and the column that refers to it: --link planes.csv --on tailnum",
        )
    check_free(port)  # before the file is read
    ingest, command = _ingest(ctx)
    with progress_display() as progress:
        progress.begin(f"Read {file.name}")
        records = FileRecords(file, table)
        try:
            if link and on:
                progress.begin(f"Read {link.name}")
                records = other_records(link, records, on)
            progress.begin("Build the views")
            views = _views(records, by or [], grid or [], measure or [], key, budget)
            page = FilePage(records, views, Path.cwd(), key, ingest, command, _link(ctx))
            page.warm()
            serve(page, port, progress, _say)
        finally:
            records.close()


def _say(link: str) -> None:
    sys.stdout.write(f"Open {link}\nCtrl-C ends the page.\n")
    sys.stdout.flush()


def _views(
    records: "FileRecords",
    by: Sequence[str],
    grids: Sequence[str],
    measures: Sequence[str],
    key: str | None,
    budget: int,
) -> "ChartViews":
    from provhouse.interactive.charts.guess import guessed
    from provhouse.interactive.charts.linked_views import ChartViews

    if key is not None and key not in records.columns:
        raise UsageError(
            f"There is no column {key!r}", f"The columns are: {', '.join(records.columns)}"
        )
    table = records.table.select(records.columns)
    columns = dict(_column(text) for text in by)
    cells = dict(_cells(text) for text in grids)
    if not columns and not cells:
        columns = dict.fromkeys(guessed(table))
    if not columns and not cells:
        raise UsageError(
            f"No column of {records.file} can be shown",
            "None has several numbers, dates or strings",
        )
    return ChartViews(table, columns, measures, cells, budget)


def _column(text: str) -> tuple[str, "Binning"]:
    from provhouse.interactive.charts.binning import parsed

    column, equals, how = text.partition("=")
    return column, parsed(how) if equals else None


def _cells(text: str) -> tuple[tuple[str, str], int | None]:
    columns, equals, how = text.partition("=")
    x, comma, y = columns.partition(",")
    if not (x and comma and y) or (equals and not how.isdecimal()):
        raise UsageError("The value of --grid is not of the form X,Y or X,Y=N", f"It is {text!r}")
    return (x, y), int(how) if equals else None


def _link(ctx: typer.Context) -> Callable[[str], str]:
    """Return a function that returns a link to an item's lineage, or "" if no server runs."""

    def link(item: str) -> str:
        from provhouse.serve import server_file
        from provhouse.serve.server_process import page_link

        warehouse = invocation(ctx).settings().warehouse
        server = server_file.running(warehouse)
        shown = f"&item={quote(item, safe='')}" if item else ""
        try:
            return f"{page_link(warehouse, server)}{shown}" if server else ""
        except ProvhouseError:  # the server is ending
            return ""

    return link


def _ingest(ctx: typer.Context) -> tuple[Callable[[Path], None] | None, str]:
    """Return a function that ingests a trace into the named warehouse, and the command to show.

    The function is None if no warehouse is named. It ingests in a new process, since Spark would
    otherwise stay in the page's process. The command includes the option ``--warehouse`` if a
    warehouse is named.
    """
    if "warehouse" not in invocation(ctx).options:
        return None, "provhouse"
    warehouse = invocation(ctx).settings().warehouse

    def run(file: Path) -> None:
        command = [sys.executable, "-c", "from provhouse.cli.app import main; main()"]
        arguments = ["--warehouse", str(warehouse), "ingest", "--wait", "60", str(file)]
        done = subprocess.run(
            command + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise Unavailable(
                f"The selection was not ingested; its trace is in {file}", done.stderr.strip()
            )

    return run, f"provhouse --warehouse {shlex.quote(str(warehouse))}"
