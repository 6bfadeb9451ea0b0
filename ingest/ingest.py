"""An ingest: files of triples become a new generation, or nothing at all."""

from collections.abc import Sequence
from pathlib import Path

from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.jars import GROUPS, jar_folder
from provhouse.runtime.java import java

from .formats.registry import AS_NAMED, Columns, Source, check, sources
from .run import Order, carry_out
from .splits import read_splits
from .steps.order import STEPS
from .summary import Summary

IMPORTED_BYTES = 64 << 20
"""Of such files the sets are so many that Neo4j's importer pays."""


def ingest(
    files: Sequence[Path],
    settings: Settings,
    *,
    input_format: str | None = None,
    columns: Columns = AS_NAMED,
    splits: Path | None = None,
    run: str | None = None,
    replace: bool = False,
    strict: bool = False,
    progress: Progress,
) -> Summary:
    """Take in files and folders of triples as one new generation.

    ``columns`` says what the columns of the files are called, if not by their known names. What
    ``run`` brought before and does not bring again ends with this generation.
    ``replace`` begins a new base beside the held one. ``strict`` refuses rejected rows and items
    named with two tables. Raises BadInput for an unusable file, Busy beside another writer;
    whatever is raised, the warehouse is as it was.
    """
    watch = Stopwatch()
    found = sources(files, input_format, columns, settings.own_folders)
    order = Order(
        steps=STEPS,
        sources=found,
        splits=(splits, read_splits(splits)) if splits else None,
        strict=strict,
        run=run,
        anew=replace,
        large=sum(source.bytes_unpacked for source in found) >= IMPORTED_BYTES,
    )
    _check(found)
    return carry_out(order, settings, watch, progress)


def _check(found: Sequence[Source]) -> None:
    """Whatever can be known to fail does so before anything is written or started."""
    for source in found:
        check(source)
    java()
    for group in GROUPS:
        jar_folder(group)
