"""``blame``: find the records that make rows of a table wrong."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.model.paths import local_path
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, OutOption, SafeOption

if TYPE_CHECKING:
    from provhouse.blames import Program
    from provhouse.capturing.walks.fault_tests import Selecting
    from provhouse.model.settings import Settings
    from provhouse.output.results.blame import BlameResult


def blame(
    ctx: typer.Context,
    table: Annotated[
        str | None, typer.Argument(help="The table with the wrong rows, which captured jobs wrote.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="SQL", help="A condition that is true for wrong rows.")
    ] = None,
    dbt: Annotated[
        Path | None,
        typer.Option(
            parser=local_path,
            metavar="FILE",
            help="dbt's run_results.json, with manifest.json in the same folder: its failed tests "
            "find the wrong rows, and its models are the programs.",
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            metavar="FILE[:FUNCTION]",
            help="The program that computes the table, to find a smallest input: an .sql file with "
            "a query, or a function in a Python file, which is called with the tables by name and "
            "returns a Spark frame.",
        ),
    ] = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Find wrong rows of a table, the records they were derived from, and the records to blame.

    --program runs the program again on parts of the lineage of the first wrong row, until no record
    can be left out: the rest is a smallest input with which the row is wrong. The warehouse keeps
    the report, and the page of its server shows it; nothing else is written. --dbt uses the first
    failed test, or with TABLE the first failed test of TABLE's model. For a project that `provhouse
    dbt` has built on DuckDB, it needs neither Spark nor a warehouse.
    """
    from provhouse.interactive.dbt.failing_rows import failing_rows, is_on_duckdb
    from provhouse.interactive.dbt.traced_run import lineage_folder
    from provhouse.output.results.blame import BlameResult

    if dbt is not None and (where, program) == (None, None) and is_on_duckdb(dbt):
        folder = lineage_folder(invocation(ctx).local())
        with opened(form, out, safe=safe) as output:
            result = BlameResult(failing_rows(dbt, table, folder))
            output.write(result)
        _keep(invocation(ctx).local(), result, "a test of dbt")
        return

    from provhouse.blames import blame as blamed
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    table, test, code = _asked(table, where, dbt, program)
    with (
        opened(form, out, safe=safe) as output,
        progress_display() as progress,
        Warehouse(settings, progress) as warehouse,
    ):
        result = BlameResult(blamed(warehouse, settings, table, test, code))
        progress.clear()
        output.write(result)
    _keep(settings, result, where or "a test of dbt")


def _keep(settings: "Settings", result: "BlameResult", fault: str) -> None:
    """Store the report in the warehouse, if there is one, so that the server's page can show it."""
    from provhouse.store.warehouse.layout import Layout
    from provhouse.store.warehouse.reports import keep_report

    layout = Layout(settings.warehouse)
    if result.found.rows and layout.identity.exists():
        keep_report(layout, "blame", {"fault": fault, **result.report()})


def _asked(
    table: str | None, where: str | None, dbt: Path | None, program: str | None
) -> "tuple[str, str | Selecting, Program | None]":
    from provhouse.failed_tests import failed_tests

    if (where is None) == (dbt is None) or (table is None and dbt is None):
        raise UsageError(
            "It is not clear which rows are wrong",
            "Neither or both of --where and --dbt are given, or --where without a table",
            "Use provhouse blame TABLE --where SQL, or provhouse blame --dbt run_results.json",
        )
    if dbt is None:
        assert table is not None
        assert where is not None
        return table, where, _program(program)
    tests = failed_tests(dbt)
    found = next((each for each in tests if table in (None, each.table)), None)
    if found is None:
        raise UsageError(
            f"No failed test is a test of {table}",
            f"Failed tests are of {', '.join(dict.fromkeys(each.table for each in tests))}",
            "Name one of these tables",
        )
    return found.table, found, _program(program) or found.program


def _program(given: str | None) -> "Program | None":
    """Return the program named by ``FILE`` or ``FILE:FUNCTION``; raises UsageError if unusable."""
    from provhouse.blames import python_program, sql_program

    if given is None:
        return None
    name, _, function = given.partition(":")
    path = local_path(name)
    if path.suffix == ".sql":
        try:
            return sql_program(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"Cannot read {path}", str(error)) from error
    return python_program(path, function)
