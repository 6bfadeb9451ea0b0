"""``ingest``: add files of triples to the warehouse."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from provhouse.ingest.formats.registry import CHOICES
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, check_run

if TYPE_CHECKING:
    InputFormat = str
else:
    InputFormat = Literal[CHOICES]


def ingest(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files, folders or quoted patterns: CSV, JSON lines, Parquet, Delta tables.",
            show_default=False,
        ),
    ],
    input_format: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option("--input", help="Format of the files. Default: by their names."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=COLUMN",
            help="Read src, dst, op, src_table or dst_table from another column. Separate several "
            "by commas, or repeat the option.",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Use if names are unique only among rows with the same value in this column, for "
            "example a run. Items are then named VALUE/NAME.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Name of the run that the files come from. Ends the triples that earlier ingests "
            "of this run added and these files do not contain.",
        ),
    ] = None,
    splits: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file that assigns tables to splits."),
    ] = None,
    theta: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Cut components of N items or more into sets."),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Start from an empty generation. Earlier generations remain."
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Fail on rows that would be rejected, and on items with two tables."
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show what would be ingested, without writing or starting anything."
        ),
    ] = False,
    form: FormOption = None,
) -> None:
    """Ingest triples: each states that dst was derived from src by op.

    Columns are src, dst and op, and optionally src_table and dst_table. Any other column is stored
    as an attribute of the triple. All files become one generation, or the ingest has no effect.
    """
    settings = invocation(ctx).settings(theta=theta)
    if run is not None:
        check_run(run)

    from provhouse.ingest.formats.column_mapping import columns_of
    from provhouse.ingest.ingest import ingest as ingest_files
    from provhouse.ingest.preview import preview
    from provhouse.output.results.ingest import IngestResult
    from provhouse.output.results.preview import PreviewResult
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
            output.write(PreviewResult(found))
        else:
            with progress_display(keep=True) as progress:
                summary = ingest_files(files, settings, **options, run=run, progress=progress)
                await_generation(settings, summary.generation, progress)
            output.write(IngestResult(summary))
