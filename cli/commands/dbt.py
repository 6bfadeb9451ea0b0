"""``dbt``: run a project of dbt on DuckDB, with the lineage of all rows that it builds."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..invocation import invocation
from ..options import WaitOption

if TYPE_CHECKING:
    from provhouse.interactive.dbt.traced_run import TracedRun
    from provhouse.workflows.executions import RegisteredJob


def dbt(
    ctx: typer.Context,
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND [ARGUMENTS]...",
            help="The command of dbt (build, run, test, seed or snapshot) and its arguments.",
        ),
    ],
    executable: Annotated[
        str,
        typer.Option("--dbt", metavar="FILE", help="The dbt to run. Default: dbt on the PATH."),
    ] = "dbt",
    workflow: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Store the built models as a revision of this workflow, with their results.",
            show_default=False,
        ),
    ] = "",
    wait: WaitOption = None,
) -> None:
    """Run your own dbt on DuckDB, unchanged, and bring the lineage of each row that it builds.

    Options of this command come before COMMAND. Rows are named by keys that dbt's tests declare,
    with the number of the run: orders/17@3. Where Spark is not installed, the lineage stays in
    files, and a later run ingests it. The exit status is dbt's; it is 3 if dbt has succeeded but
    the rows of a model could not be followed.
    """
    from provhouse.interactive.dbt.traced_run import traced_run

    from ..progress_display import progress_display

    settings = invocation(ctx).local(wait_seconds=wait)
    found = traced_run(arguments, executable, settings, progress_display, workflow)
    for line in _lines(found):
        sys.stderr.write(f"provhouse: {line}\n")
    raise typer.Exit(found.status)


def _lines(found: "TracedRun") -> list[str]:
    """Return the report about a run for the user, as lines with one sentence each."""
    lines: list[str] = []
    if built := found.built:
        followed = [model for model in built.models if not model.refused]
        lines.append(
            f"Run {built.run}: the rows of {len(followed)} of {len(built.models)} models "
            f"were followed, {built.triples:,} triples"
        )
        lines += [
            f"Not followed: {each.name}. {each.refused}" for each in built.models if each.refused
        ]
        lines += [
            f"The rows of {name} are not followed: a run without provhouse has built them"
            for name in built.changed
        ]
        if found.why_waiting:
            lines.append(f"The lineage waits in {found.folder}: {found.why_waiting}")
        elif followed:
            table = max(reversed(followed), key=lambda model: bool(model.triples)).name
            lines.append(
                f"To ask: provhouse find {table}/ --limit 5, then provhouse lineage with a name"
            )
    if job := found.job:
        lines += [*_stored(job), *job.notes]
    if found.results is not None:
        lines.append(f"To see what failed: provhouse blame --dbt {found.results}")
    return lines


def _stored(job: "RegisteredJob") -> list[str]:
    stored = "1 result is" if job.results == 1 else f"{job.results:,} results are"
    return [f"Revision {job.revision}: {stored} stored"] if job.revision else []
