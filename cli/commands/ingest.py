"""``ingest``: add files of triples to the warehouse."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from provhouse.checks import check_run
from provhouse.ingest.formats.known_formats import CHOICES
from provhouse.model.errors import UsageError
from provhouse.model.paths import is_address, local_path
from provhouse.model.settings import Settings
from provhouse.output.form import Form
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, WaitOption, pairs

if TYPE_CHECKING:
    InputFormat = str
else:
    InputFormat = Literal[CHOICES]


def _place(text: str) -> Path | str:
    """Return a local path as a Path, and an address (for --captured only) as the given string."""
    return text if is_address(text) else local_path(text)


def ingest(
    ctx: typer.Context,
    files: Annotated[
        list[Any] | None,  # typer would make a Path of an address, and shorten its two slashes
        typer.Argument(
            parser=_place,
            metavar="FILES...",
            help="Files, folders or quoted patterns: CSV, TSV, JSON lines, Parquet, Delta tables, "
            "W3C PROV and others (docs/formats.md).",
        ),
    ] = None,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(
            "--input",
            metavar="FORMAT",
            help=f"Format of the files: {', '.join(CHOICES)}. Default: by their names.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=COLUMN",
            help="Read src, dst, src_id, dst_id, op, src_table, dst_table or a column of "
            "derivations from another column. Repeatable; several NAME=COLUMN can also be "
            "separated by commas.",
        ),
    ] = None,
    src_table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="The table of src in every row, for files without such a column."
        ),
    ] = None,
    dst_table: Annotated[
        str | None, typer.Option(metavar="TABLE", help="The table of dst in every row.")
    ] = None,
    op: Annotated[str | None, typer.Option(metavar="TEXT", help="The op of every row.")] = None,
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
            help="Name of the run that wrote the files. Ends triples of earlier ingests of this "
            "run that these files do not contain.",
        ),
    ] = None,
    operations: Annotated[
        Path | None,
        typer.Option(
            parser=local_path,
            metavar="FILE",
            help="A file that describes ops: CSV, JSON lines or Parquet with the column op, and "
            "kind, function, module, sql, job, place or exactness. FILES may then be left out.",
        ),
    ] = None,
    modules: Annotated[
        Path | None,
        typer.Option(
            parser=local_path,
            metavar="FILE",
            help="A TOML or JSON file that declares modules: their ops, and the tables of their "
            "inputs, state and outputs (docs/modules.md). FILES may then be left out.",
        ),
    ] = None,
    splits: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file that assigns tables to splits.")
    ] = None,
    theta: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Cut components of N items or more into sets."),
    ] = None,
    captured: Annotated[
        bool,
        typer.Option(
            "--captured",
            help="Ingest the lineage that captured jobs have left in FILES: folders that "
            "`provhouse status` shows, or the landing address of jobs, such as s3a://bucket/x. "
            "Without FILES, ingest all folders in the warehouse, oldest first.",
        ),
    ] = False,
    openlineage: Annotated[
        bool,
        typer.Option(
            "--openlineage",
            help="Read FILES as events of OpenLineage: their jobs and datasets, which `provhouse "
            "list catalogue` and --zoom catalogue show beside the tables of the warehouse.",
        ),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Start from an empty generation. Earlier generations remain."
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Fail on rows that would be rejected, on files in folders that would be passed "
            "over, and on items with two tables.",
        ),
    ] = False,
    names: Annotated[
        Literal["table", "global"] | None,
        typer.Option(
            help="How items are named: table for TABLE/NAME, if names are unique only in their "
            "table, or global, if a name in two tables is one item. The first ingest stores this "
            "choice. Default: names must not occur in two tables."
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE=PATTERN",
            help="How items given by src_id or dst_id are named, if not {table}/{id}: for example "
            "invoices=INV-{id}. Repeatable. The first ingest of a table's ids stores this choice.",
        ),
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A text that stands for a missing value, in any column: for example - or \\N. "
            "Repeatable. Empty fields of CSV and null in JSON are always missing.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show what would be ingested, without writing or starting anything."
        ),
    ] = False,
    form: FormOption = None,
    wait: WaitOption = None,
) -> None:
    """Ingest triples: each states that dst was derived from src by op.

    Columns are src, dst and op, and optionally src_table and dst_table. Any other column is stored
    as an attribute of the triple, except the columns of derivations (docs/derivations.md). Instead
    of src and dst, a file may have src_id and dst_id: ids of rows of src_table and dst_table, whose
    items are TABLE/ID. All files become one generation, or the ingest has no effect.
    """
    if captured:
        invocation(ctx).refuse_remote("ingest --captured")
    settings = invocation(ctx).settings(wait_seconds=wait, theta=theta)
    check_run(run)
    if captured:
        _refuse_others(ctx, "captured", "the keys and the run are in the folder")
        _ingest_captured(files or [None], settings, form)
        return
    files = [local_path(each) for each in files or []]
    if openlineage:
        _refuse_others(ctx, "openlineage", "events have no triples")
        _ingest_events(files, settings, form)
        return
    if not files and operations is None and modules is None:
        raise UsageError(
            "Missing argument 'FILES...'",
            "--operations and --modules are missing too",
            "Name at least one file or folder",
        )

    from provhouse.ingest.formats.column_mapping import columns_by_name, mapped_columns
    from provhouse.ingest.preview import preview
    from provhouse.output.results.ingest import IngestResult
    from provhouse.output.results.preview_view import PreviewResult
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    mapped = columns_by_name(columns or [])
    given = {"src_table": src_table, "dst_table": dst_table, "op": op}
    constants = {name: value for name, value in given.items() if value is not None}
    known = mapped_columns(mapped, scope, null or [], constants)
    patterns = pairs(pattern or [], "--pattern")
    with opened(form) as output:
        if dry_run:
            with progress_display() as progress:
                found = preview(
                    files, settings, input_format=input_format, columns=known, splits=splits,
                    run=run, replace=replace, strict=strict, names=names, patterns=patterns,
                    operations=operations, modules=modules, progress=progress,
                )  # fmt: skip
            output.write(PreviewResult(found))
            return
        with progress_display(keep=True) as progress, Warehouse(settings, progress) as warehouse:
            summary = warehouse.ingest(
                *files, input_format=input_format, columns=mapped, scope=scope, run=run,
                splits=splits, replace=replace, strict=strict, names=names, patterns=patterns,
                operations=operations, modules=modules, null=null or [], constants=constants,
            )  # fmt: skip
        output.write(IngestResult(summary))


def _refuse_others(ctx: typer.Context, option: str, why: str) -> None:
    """Raise UsageError for options that apply to triples in files."""
    given = {name for name in ctx.params if _given(ctx, name)} - {"files", option, "form", "wait"}
    if given:
        raise UsageError(
            f"--{option} cannot be combined with other options of ingest",
            f"These are given too: {', '.join(sorted(given))}",
            f"Leave them out: {why}",
        )


def _ingest_events(files: Sequence[Path], settings: Settings, form: Form | None) -> None:
    """Ingest events of OpenLineage."""
    if not files:
        raise UsageError(
            "Missing argument 'FILES...'",
            "--openlineage reads events from files",
            "Name at least one file",
        )

    from provhouse.ingest.openlineage_catalogue import ingest_events
    from provhouse.output.results.openlineage import EventsReadResult

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress:
            read = ingest_events(files, settings, progress)
        output.write(EventsReadResult(read))


def _ingest_captured(folders: Sequence[Path | None], settings: Settings, form: Form | None) -> None:
    """Ingest folders of captured lineage; None in ``folders`` stands for all folders."""
    from provhouse.ingest.landing.land_left import together
    from provhouse.output.results.captured import CapturedResult
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display(keep=True) as progress, Warehouse(settings, progress) as warehouse:
            landed = together([warehouse.ingest_captured(folder) for folder in folders])
        output.write(CapturedResult(landed))


def _given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
