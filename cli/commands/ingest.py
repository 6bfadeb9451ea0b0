"""``ingest``: files of triples into the warehouse."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from provhouse.output.output import opened

from ..invocation import invocation
from ..options import FormOption, check_run


def ingest(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files, folders and quoted patterns: CSV, JSON lines, Parquet, Delta tables.",
            show_default=False,
        ),
    ],
    input_format: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option("--input", help="What the files are; else their names say it."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=COLUMN",
            help="Which column is src, dst, op, src_table or dst_table, if not the one of that "
            "name; several with commas between, or repeated.",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Names are unique only within a value of this column, a run for instance: items "
            "are then called VALUE/NAME.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="The run that the files come from; what it brought before and does not bring "
            "again ends.",
        ),
    ] = None,
    splits: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file that says which tables each split holds."),
    ] = None,
    theta: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Components of at least so many items are cut."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Begin anew; what was held stays in its own folder.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Let nothing pass: what would be reported ends it.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what would come in and how; write nothing, start no server."
        ),
    ] = False,
    form: FormOption = None,
) -> None:
    """Take triples in: each says that dst derives from src by op.

    Columns are src, dst and op, where known src_table and dst_table; any other column is kept as an
    attribute of the operation. All files are one generation: it is there whole or not at all.
    """
    settings = invocation(ctx).settings(theta=theta)
    if run is not None:
        check_run(run)

    from provhouse.ingest.formats.registry import columns_of
    from provhouse.ingest.ingest import ingest as taken
    from provhouse.ingest.preview import preview
    from provhouse.serve.process import await_generation

    from ..progress_display import progress_display

    options: dict[str, Any] = {
        "input_format": input_format, "columns": columns_of(columns or [], scope),
        "splits": splits, "replace": replace, "strict": strict,
    }  # fmt: skip
    with opened(form) as output:
        if dry_run:
            with progress_display() as progress:
                found = preview(files, settings, **options, progress=progress)
            output.preview(found)
        else:
            with progress_display(keep=True) as progress:
                summary = taken(files, settings, **options, run=run, progress=progress)
                await_generation(settings, summary.generation, progress)
            output.summary(summary)
