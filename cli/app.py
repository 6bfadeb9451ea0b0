"""The ``provhouse`` command: its list of commands, the global options, and the entry point."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.main import get_command

from provhouse.model.command import COMMAND
from provhouse.runtime.imports import hide_unused

from .command_groups import GUIDE, GroupedHelp, is_old
from .commands.blame import blame
from .commands.browser import browser
from .commands.check import check
from .commands.compact import compact
from .commands.compare import compare
from .commands.copy import copy
from .commands.crossfilter import crossfilter
from .commands.cypher import cypher
from .commands.dbt import dbt
from .commands.diff import diff
from .commands.doctor import doctor
from .commands.evaluate import evaluate
from .commands.executions import executions
from .commands.explain import explain
from .commands.export import export
from .commands.forget import forget
from .commands.import_ import import_
from .commands.ingest import ingest
from .commands.lineage import impact, lineage
from .commands.mcp import mcp
from .commands.modules import modules
from .commands.ops import ops
from .commands.path import path
from .commands.prune import prune
from .commands.repair import repair
from .commands.retract import retract
from .commands.reuse import reuse
from .commands.revisions import revisions
from .commands.rollback import rollback
from .commands.run_spark import run_spark
from .commands.show import show
from .commands.spark_conf import spark_conf
from .commands.status import generations, status
from .commands.tidy import tidy
from .commands.token import token
from .commands.up import down, up
from .commands.values import values
from .commands.what_if import what_if
from .commands.why import why
from .derived import name_of, with_derived
from .examples import epilog
from .failures import guarded
from .invocation import CommandCall, invocation
from .listing import list_commands
from .options import pairs
from .remote_warehouse import warehouse_place

EPILOG = (
    "Exit status: 0 success, 1 bug in provhouse, 2 wrong usage, 3 not found, 4 bad input, "
    "5 something outside provhouse is missing or down, 6 another process is writing, "
    "7 the warehouse is damaged, 130 interrupted."
)

app = typer.Typer(
    cls=GroupedHelp,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=EPILOG,
    context_settings={"help_option_names": ["--help", "-h"]},
)
COMMANDS = (
    ingest,
    run_spark,
    spark_conf,
    dbt,
    lineage,
    impact,
    path,
    show,
    explain,
    blame,
    what_if,
    why,
    evaluate,
    diff,
    compare,
    revisions,
    executions,
    reuse,
    values,
    ops,
    modules,
    crossfilter,
    status,
    generations,
    retract,
    rollback,
    tidy,
    compact,
    prune,
    forget,
    export,
    import_,
    copy,
    check,
    repair,
    cypher,
    browser,
    up,
    down,
    token,
    mcp,
    doctor,
)
for command in with_derived(COMMANDS):
    name = name_of(command)
    own = {"allow_interspersed_args": command not in (run_spark, dbt)}  # later options are theirs
    app.command(name, epilog=epilog(name), context_settings=own, hidden=is_old(name))(command)
app.add_typer(list_commands(), name="list")


COMPLETE = "_PROVHOUSE_COMPLETE"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"provhouse {version('provhouse')}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def provhouse(
    ctx: typer.Context,
    warehouse: Annotated[
        Any,  # typer would make a Path of an address, and shorten its two slashes
        typer.Option(
            parser=warehouse_place,
            metavar="DIR|ADDRESS",
            help="Folder of the warehouse, or its address: s3://BUCKET/PATH or hdfs://HOST/PATH "
            "(docs/storage.md). Default: PROVHOUSE_WAREHOUSE, or ./warehouse.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a setting. Overrides PROVHOUSE_NAME and warehouse.toml. Repeatable.",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask the server at this URL, with the token in the setting token_file.",
        ),
    ] = None,
    no_server: Annotated[
        bool,
        typer.Option(
            "--no-server", help="Start no server for the question, as with idle_minutes=0."
        ),
    ] = False,
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Show where data comes from and what was derived from it, record by record."""
    options: dict[str, object] = dict(pairs(setting or [], "--set"))
    if server is not None:
        options["server"] = server
    if no_server:
        options["idle_minutes"] = 0
    invocation(ctx).options = options if warehouse is None else {**options, "warehouse": warehouse}
    COMMAND.set(ctx.invoked_subcommand or "")
    if ctx.invoked_subcommand is None:
        sys.stderr.write(GUIDE)
        raise typer.Exit(2)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    called = CommandCall()

    def work() -> None:
        root = get_command(app)
        with called.stack, root.make_context("provhouse", list(arguments), obj=called) as ctx:
            root.invoke(ctx)

    return guarded(work, called.logs)


def main() -> None:
    """Run the command in ``sys.argv`` and exit with its status."""
    hide_unused()
    if COMPLETE in os.environ:  # a shell asks for completions
        get_command(app)(prog_name="provhouse")
    status = run(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # only Spark remains to be ended
    sys.exit(status)
