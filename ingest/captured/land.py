"""Ingest the lineage of what a captured block has written, as one new generation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from provhouse.commit.number_files import number_files
from provhouse.commit.number_writes import NewWrite, number_writes
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.written import Written

from ..from_arrow import from_arrow
from .description import SourceFile, described
from .keys import Key, check_keys, read_keys
from .names import Known, check_sources, output_names, source_names, without_numbers
from .output import Output, output_of
from .rows import TRACE, Traced, operations, traced, triples


@dataclass(frozen=True)
class LandedWrite:
    """A captured write that is in the warehouse."""

    table: str
    version: int
    """Its rows are named ``table/key@version``; the plain name means the newest version."""
    path: Path
    rows: int
    taps: int
    """The number of operators below which associations were written aside."""
    associations: int
    """The number of pairs of a source row and a row of the write, or of a group of its rows."""


@dataclass(frozen=True)
class Landed:
    """The captured writes of one block, after their ingest."""

    writes: tuple[LandedWrite, ...] = ()
    generation: int = 0
    """The generation that shows them; 0 if nothing was written."""


def land(
    writes: Sequence[Mapping[str, Any]],
    keys: Mapping[str, Key],
    run: str,
    settings: Settings,
    progress: Progress,
) -> Landed:
    """Ingest the lineage of captured writes, in order, as one new generation.

    ``writes`` are descriptions from Spark's JVM. ``keys`` has the key columns of tables, by name.
    Nothing lands after an error. Raises BadInput for keys that are NULL or not unique, for files
    that have changed since, and if the rows are not those that were captured. Raises Busy if
    another process writes.
    """
    begun = [described(write) for write in writes]
    outputs = [output_of(write) for write in begun if write.state != "failed"]
    outputs = [output for output in outputs if output.files]
    if not outputs:
        return Landed()
    make_folder(settings.warehouse)
    sources = _sources(outputs)
    _check(outputs, sources, keys, Known(Layout(settings.warehouse)))
    found = [traced(output) for output in outputs]
    versions = _numbered(outputs, sources, keys, run, settings, progress)
    ops = [
        operations(each, version.table, run) for each, version in zip(found, versions, strict=True)
    ]
    summary = from_arrow(
        _batches(found, versions, keys, run, settings),
        settings,
        label=f"capture {run}".strip(),
        operations=_one_each(ops),
        progress=progress,
    )
    landed = tuple(_landed(each, version) for each, version in zip(found, versions, strict=True))
    return Landed(landed, summary.generation)


def _check(
    outputs: Sequence[Output], sources: Sequence[SourceFile], keys: Mapping[str, Key], known: Known
) -> None:
    """Raise an error if a key does not name the rows of what was written or read."""
    for output in outputs:
        if key := keys.get(output.write.table):
            check_keys(output.write.table, key, [read_keys(path, key) for path in output.files])
    fresh = {path: keys.get(each.write.table, ()) for each in outputs for path in each.files}
    check_sources(sources, keys, known, fresh)


def _sources(outputs: Sequence[Output]) -> list[SourceFile]:
    """Return each source file once; a file has another number in each write."""
    every = (source for output in outputs for source in output.write.sources)
    return list({source.path: source for source in every}.values())


def _numbered(
    outputs: Sequence[Output],
    sources: Sequence[SourceFile],
    keys: Mapping[str, Key],
    run: str,
    settings: Settings,
    progress: Progress,
) -> list[Written]:
    """Give versions to the writes, and numbers to the source files whose row ids are names."""
    new = [
        NewWrite(each.write.table, keys.get(each.write.table, ()), each.files, run)
        for each in outputs
    ]
    versions = number_writes(new, settings, progress)
    missing = without_numbers(sources, keys, Known(Layout(settings.warehouse)))
    if missing:
        number_files([str(path) for path in missing], settings, progress)
    return versions


def _batches(
    found: Sequence[Traced],
    versions: Sequence[Written],
    keys: Mapping[str, Key],
    run: str,
    settings: Settings,
) -> Iterator[pa.RecordBatch]:
    known = Known(Layout(settings.warehouse))
    yield from TRACE.empty_table().to_batches()
    for each, version in zip(found, versions, strict=True):
        named = source_names(each.source_ids(), each.output.write.sources, keys, known)
        names = output_names(each.output, version)
        for table in triples(each, named, names, version.table, run):
            yield from table.combine_chunks().to_batches()


def _one_each(ops: Sequence[pa.Table]) -> pa.Table:
    """Return each description once; two appends to one table have the same ops."""
    rows = {row["op"]: row for table in ops for row in table.to_pylist()}
    return pa.Table.from_pylist(list(rows.values()), schema=ops[0].schema)


def _landed(found: Traced, version: Written) -> LandedWrite:
    output = found.output
    pairs = sum(len(each.src) for each in found.direct)
    pairs += sum(len(each.sources.at) for each in found.grouped)
    return LandedWrite(
        version.table,
        version.version,
        output.write.path,
        sum(output.counts),
        len(output.write.taps),
        pairs,
    )
