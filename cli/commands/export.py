"""``export`` and ``import``: what is held as Parquet files, and back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.writer import opened

from ..invocation import AsOfOption, FormOption, invocation, utf8

if TYPE_CHECKING:
    from provhouse.model.progress import Progress
    from provhouse.model.question import Question
    from provhouse.model.settings import Settings
    from provhouse.store.warehouse.manifest import Manifest


def export(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new or empty folder.", show_default=False)
    ],
    lineage: Annotated[
        str | None,
        typer.Option(metavar="ITEM", help="Only where this item comes from.", show_default=False),
    ] = None,
    impact: Annotated[
        str | None,
        typer.Option(metavar="ITEM", help="Only what this item reached.", show_default=False),
    ] = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
) -> None:
    """Write all triples, or those of one answer, as Parquet files of names.

    Beside them lies manifest.json with their totals and their SHA-256; it is written last.
    """
    settings = invocation(ctx).settings()
    if lineage is not None and impact is not None:
        raise UsageError("Either a lineage or an impact should be exported", "Both are asked for")

    from provhouse.model.question import Direction, Question
    from provhouse.output.results.export import ExportResult
    from provhouse.query.export import export_warehouse
    from provhouse.store.warehouse.layout import Layout

    from ..progress_display import listening

    item = impact if lineage is None else lineage
    with opened(form) as output:
        with listening() as progress:
            if item is None:
                done = export_warehouse(Layout(settings.warehouse), folder, progress, as_of)
            else:
                direction: Direction = "upstream" if impact is None else "downstream"
                question = Question(utf8(item, "The item"), direction, as_of=as_of)
                done = _answer(settings, question, folder, progress)
        output.write(ExportResult(done))


def _answer(
    settings: "Settings", question: "Question", folder: Path, progress: "Progress"
) -> "Manifest":
    from provhouse.query.ask import Asker
    from provhouse.query.export import export_answer
    from provhouse.store.warehouse.layout import Layout

    with Asker(settings, progress, question.as_of) as asker:
        return export_answer(Layout(settings.warehouse), asker.answer(question), folder)


def import_(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What was exported.", show_default=False)
    ],
    form: FormOption = None,
) -> None:
    """Take in what `provhouse export` wrote, into an empty warehouse or beside what is held.

    The files are held against their SHA-256 first, then what came in against the manifest's totals;
    it is one generation, there whole or not at all.
    """
    settings = invocation(ctx).settings()

    from provhouse.ingest.imported import import_ as imported
    from provhouse.output.results.ingest import IngestResult
    from provhouse.serve.process import await_generation

    from ..progress_display import listening

    with opened(form) as output:
        with listening(keep=True) as progress:
            summary = imported(folder, settings, progress)
            await_generation(settings, summary.generation, progress)
        output.write(IngestResult(summary))
