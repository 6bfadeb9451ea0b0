"""An ingest: files of triples become a new generation, or nothing at all."""

from collections.abc import Sequence
from pathlib import Path

from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.jars import GROUPS, jar_folder
from provhouse.runtime.java import java

from .formats.column_mapping import AS_NAMED, Columns
from .formats.discover import sources
from .formats.registry import check
from .formats.source import Source
from .job import Inputs
from .run import carry_out
from .splits import read_splits
from .steps.order import ingest_files
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
    inputs = Inputs(found, (splits, read_splits(splits)) if splits else None, strict, run)
    _check(found)
    large = inputs.bytes_unpacked >= IMPORTED_BYTES
    return carry_out(ingest_files, inputs, settings, watch, progress, new_base=replace, large=large)


def _check(found: Sequence[Source]) -> None:
    """Whatever can be known to fail does so before anything is written or started."""
    for source in found:
        check(source)
    java()
    for group in GROUPS:
        jar_folder(group)
