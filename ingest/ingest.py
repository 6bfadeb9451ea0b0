"""Ingest files of triples: all of them become one new generation, or nothing changes."""

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
"""If the input has fewer bytes, it has too few sets to start Neo4j's importer for them."""


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
    """Ingest files and folders of triples as one new generation.

    ``columns`` maps known column names to the names in the files. Triples that ``run`` brought
    before and does not bring now end with this generation. ``replace`` begins a new base beside the
    stored base. ``strict`` refuses rejected rows, and items named with two tables. Raises BadInput
    for an unusable file, and Busy if another process writes. The warehouse is unchanged after any
    error.
    """
    watch = Stopwatch()
    found = sources(files, input_format, columns, settings.own_folders)
    inputs = Inputs(found, (splits, read_splits(splits)) if splits else None, strict, run)
    _check(found)
    large = inputs.bytes_unpacked >= IMPORTED_BYTES
    return carry_out(ingest_files, inputs, settings, watch, progress, new_base=replace, large=large)


def _check(found: Sequence[Source]) -> None:
    """Raise the errors that can be found before anything is written or started."""
    for source in found:
        check(source)
    java()
    for group in GROUPS:
        jar_folder(group)
