"""Ingest files of triples: all files become one new generation, or nothing changes."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

from provhouse.model.naming import SaidNaming
from provhouse.model.patterns import declared_patterns
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.jars import GROUPS, jar_folder
from provhouse.runtime.java import java

from .declared_modules import given_modules
from .formats.column_mapping import AS_NAMED, ColumnNames
from .formats.discover import sources
from .formats.known_formats import check
from .formats.passed_over import check_complete, passed_over
from .formats.source import Source
from .formats.spool import ArrowStream
from .ingest_summary import Summary
from .job import Inputs
from .op_descriptions import given_operations, without_triples
from .splits import read_splits
from .steps.order import ingest_files
from .writing_run import carry_out

SMALL_BYTES = 32 << 20
"""The smallest input, in bytes, that is ingested with Spark.

For a smaller input, starting Spark would take more time than Spark saves by using two cores.
"""
IMPORTED_BYTES = 64 << 20
"""The smallest input, in bytes, that is assumed to have many sets.

If there are many sets, Neo4j's importer saves time.
"""


class Options(TypedDict, total=False):
    """The options that ingests of files and of Arrow batches share. ``ingest`` explains them."""

    splits: Path | None
    run: str | None
    replace: bool
    strict: bool
    names: SaidNaming | None
    patterns: Mapping[str, str]
    operations: Path | ArrowStream | None
    modules: Path | None


def ingest(
    files: Sequence[Path],
    settings: Settings,
    *,
    input_format: str | None = None,
    columns: ColumnNames = AS_NAMED,
    label: str = "",
    progress: Progress,
    **options: Unpack[Options],
) -> Summary:
    """Ingest files and folders of triples as one new generation.

    ``columns`` maps known column names to the names in the files. ``splits`` is a file that assigns
    tables to splits. Triples that an earlier ingest of ``run`` added, and that this ingest does not
    contain, end in the new generation. If ``replace`` is true, a new base begins, and the stored
    base is kept. If ``strict`` is true, each of these is an error: a rejected row, a file in a
    folder that would be passed over, and an item that is named with two tables. ``names`` is
    ``table`` to name items ``TABLE/NAME``, or ``global`` to merge items of two tables that have the
    same name; the warehouse stores the choice. ``label`` replaces the paths of the files in
    messages, rejected rows and origins. ``patterns`` maps a table to the pattern of its row ids;
    the default is ``{table}/{id}``. ``operations`` is a file, or Arrow batches, with descriptions
    of ops. ``modules`` is a file that declares modules. If ``operations`` or ``modules`` is given,
    ``files`` may be empty. Raises BadInput for an unusable file, and for a name in two tables if no
    ingest of this warehouse has ever set ``names``. Raises UsageError if ``names`` differs from the
    naming of stored items, and Busy if another process writes. The warehouse is unchanged after any
    error.
    """
    found = sources(files, input_format, columns, settings.own_folders)
    missed = passed_over(files, input_format, (source.path for source in found))
    if options.get("strict"):
        check_complete(missed)
    found = [replace(source, label=label) for source in found]
    return ingest_sources(found, settings, missed=missed, progress=progress, **options)


def ingest_sources(
    found: Sequence[Source],
    settings: Settings,
    *,
    missed: Sequence[str] = (),
    small_bytes: int = SMALL_BYTES,
    progress: Progress,
    **options: Unpack[Options],
) -> Summary:
    """Ingest sources as one new generation, as ``ingest`` does.

    ``missed`` has the paths of the files that are not read, which the summary lists. An input
    smaller than ``small_bytes`` is ingested without Spark.
    """
    watch = Stopwatch()
    splits, given = options.get("splits"), options.get("operations")
    operations = None if given is None else given_operations(given, settings.own_folders)
    declared = options.get("modules")
    modules = None if declared is None else given_modules(declared)
    with ExitStack() as stack:
        if not found and (alone := operations or modules):
            run, new_base = options.get("run"), options.get("replace", False)
            found = stack.enter_context(without_triples(alone.source, run=run, replace=new_base))
        inputs = Inputs(
            found,
            (splits, read_splits(splits)) if splits else None,
            options.get("strict", False),
            options.get("run"),
            options.get("names"),
            declared_patterns(options.get("patterns", {})),
            missed,
            operations,
            modules,
        )
        _check(found)
        return carry_out(
            ingest_files,
            inputs,
            settings,
            watch,
            progress,
            new_base=options.get("replace", False),
            small=inputs.bytes_unpacked < small_bytes,
            large=inputs.bytes_unpacked >= IMPORTED_BYTES,
        )


def _check(found: Sequence[Source]) -> None:
    """Raise the errors that can be detected before the ingest writes files or starts processes."""
    for source in found:
        check(source)
    java()
    for group in GROUPS:
        jar_folder(group)
