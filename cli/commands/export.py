"""``export``: write triples as Parquet files."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from provhouse.model.errors import UsageError
from provhouse.model.paths import local_path
from provhouse.model.question import AsOf
from provhouse.output.form import Form
from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import AsOfOption, FormOption, utf8

if TYPE_CHECKING:
    from provhouse.model.progress import Progress
    from provhouse.model.question import Question
    from provhouse.model.settings import Settings
    from provhouse.store.warehouse.manifest import Manifest


def export(
    ctx: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(
            parser=local_path, metavar="DIR", help="Folder for the files, new or empty."
        ),
    ] = None,
    lineage: Annotated[
        str | None, typer.Option(metavar="ITEM", help="Export only the lineage of this item.")
    ] = None,
    impact: Annotated[
        str | None, typer.Option(metavar="ITEM", help="Export only the impact of this item.")
    ] = None,
    openlineage: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="Write events of OpenLineage instead: to a file, or to the URL of a service such "
            "as Marquez, with the key in OPENLINEAGE_API_KEY.",
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --openlineage, the namespace of jobs and tables."),
    ] = None,
    prov: Annotated[
        Literal["prov-json", "prov-n", "prov-o"] | None,
        typer.Option("--as", help="Write one file of W3C PROV instead of Parquet files."),
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
) -> None:
    """Write all triples, or the triples of one answer, as Parquet files.

    The files contain names, not internal numbers. The file manifest.json, written last, lists their
    totals and SHA-256 checksums. With --as, there is one file and no manifest (docs/formats.md).
    With --openlineage, the runs, tables and columns of all ingests are written, and no triples
    (docs/openlineage.md).
    """
    settings = invocation(ctx).settings()
    if openlineage is not None:
        if any(each is not None for each in (folder, lineage, impact, prov)):
            raise UsageError(
                "--openlineage cannot be combined with DIR, --lineage, --impact and --as",
                "Events have runs and tables, and no triples",
                "Export twice",
            )
        _export_events(settings, openlineage, namespace, as_of, form)
        return
    if folder is None or namespace is not None:
        raise UsageError(
            "Missing argument 'DIR'" if folder is None else "--namespace needs --openlineage",
            remedy="Name a folder for the files, or give --openlineage FILE",
        )
    if lineage is not None and impact is not None:
        raise UsageError(
            "Both a lineage and an impact are named",
            "An export contains one answer",
            "Give --lineage or --impact",
        )

    from provhouse.model.question import Direction, Question
    from provhouse.output.results.export import ExportResult
    from provhouse.query.exporting.export import export_warehouse
    from provhouse.query.exporting.export_files import create_folder
    from provhouse.query.exporting.prov_files import converted
    from provhouse.runtime.scratch import scratch
    from provhouse.store.warehouse.layout import Layout

    from ..progress_display import progress_display

    item = impact if lineage is None else lineage
    with opened(form) as output:
        with progress_display() as progress, ExitStack() as stack:
            to = folder
            if prov:
                create_folder(Layout(settings.warehouse), folder)
                to = Path(stack.enter_context(scratch("export"))) / "files"
            if item is None:
                done = export_warehouse(Layout(settings.warehouse), to, progress, as_of)
            else:
                direction: Direction = "upstream" if impact is None else "downstream"
                question = Question(utf8(item, "The item"), direction, as_of=as_of)
                done = _export_answer(settings, question, to, progress)
            if prov:
                done = converted(done, to, folder, prov)
        output.write(ExportResult(done))


def _export_events(
    settings: "Settings", to: str, namespace: str | None, as_of: AsOf | None, form: Form | None
) -> None:
    from provhouse.output.file import destination
    from provhouse.output.results.openlineage import EventsWrittenResult
    from provhouse.query.exporting.openlineage_events import run_events
    from provhouse.query.exporting.openlineage_sent import is_address, send, write

    with opened(form) as output:
        with run_events(settings, namespace, as_of) as events:
            if is_address(to):
                sent = send(events, to)
            else:
                with destination(local_path(to)) as handle:
                    sent = write(events, handle, to)
        output.write(EventsWrittenResult(sent))


def _export_answer(
    settings: "Settings", question: "Question", folder: Path, progress: "Progress"
) -> "Manifest":
    from provhouse.query.exporting.export import export_answer
    from provhouse.query.lineage.ask import Asker
    from provhouse.store.warehouse.layout import Layout

    with Asker(settings, progress, question.as_of) as asker:
        return export_answer(Layout(settings.warehouse), asker.answer(question), folder)
