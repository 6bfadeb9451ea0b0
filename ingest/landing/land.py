"""Ingest the lineage of the writes of a captured block, as one new generation."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from provhouse.capturing.jvm_rules import Refusal
from provhouse.capturing.reading.changed_rows import check_change
from provhouse.capturing.reading.description import CapturedWrite, SourceFile
from provhouse.capturing.reading.file_names import Key
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.capturing.reading.kept_out import KeptOut
from provhouse.capturing.reading.keyed import source_keys
from provhouse.capturing.reading.keyed_output import KeyedOutput, KeyedOutputNames
from provhouse.capturing.reading.known import Known
from provhouse.capturing.reading.marked_output import MarkedNames, MarkedOutput, marked_outputs
from provhouse.capturing.reading.marks import MarkedRows, marks_of
from provhouse.capturing.reading.moved_keys import tracking_of
from provhouse.capturing.reading.output import Output
from provhouse.capturing.reading.renamed import state_of
from provhouse.capturing.reading.row_keys import KeyStore, check_keys, check_nulls
from provhouse.capturing.reading.row_names import (
    OutputNames,
    SourceNames,
    check_sources,
    without_numbers,
)
from provhouse.capturing.reading.sampled import sampled_writes
from provhouse.capturing.reading.traced_rows import Traced, bare_rows, operations, pieces, traced
from provhouse.commit.number_files import number_files
from provhouse.commit.number_writes import NewWrite, number_writes
from provhouse.commit.single_writer import only_writer
from provhouse.model.columns import EXACTNESS, KIND, OP
from provhouse.model.operations import weakest
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.runtime.scratch import scratch
from provhouse.store.tables.pins import add_pins
from provhouse.store.tables.sampled_writes import add_samples
from provhouse.store.tables.uncaptured import Uncaptured, note_captured, note_uncaptured
from provhouse.store.tables.written import Written
from provhouse.store.warehouse.captured_blocks import Block, end_block, read_block
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import keep_report

from ..ingest import ingest_sources
from .changed import end_rows, keep_versions
from .keyed_names import Fresh, KeyedNames
from .landed import Landed, LandedMark, landed_write, landing_report
from .pinned import checked_before, pins_of
from .same_names import check_places
from .stream import Streams
from .unused_keys import unused_keys
from .weakened import WEAKEST_KIND, weakened

SMALL_BYTES = 256 << 20
"""The largest size in bytes of triples that land without Spark; about 4 million triples fit.

The triples consist of numbers and need no parsing, so one process is as fast as Spark's workers.
"""


def land_block(
    folder: Path,
    settings: Settings,
    progress: Progress,
    keys: Mapping[str, Key] | None = None,
    *,
    keep: bool = False,
) -> Landed:
    """Ingest the folder of a captured block as one new generation, then remove the folder.

    If ``keep`` is true, the folder stays, so that rows can be traced in it, but it is not ingested
    again. ``keys`` replace the declared keys of the block. Incomplete writes are left out, and the
    result names them. A write with an error, such as a key that is NULL or not unique, is kept out,
    and so are the writes that derive from it. The result then has the error as its ``fault``, and
    the folder stays. If no other write is left, nothing lands and the error is raised. Raises
    BadInput if files have changed since the job, and Busy if another process writes.
    """
    block = read_block(folder)
    begun, declared = captured_writes(folder), block.keys if keys is None else keys
    watch = Stopwatch()
    with scratch("captured") as aside, watch.step("landing"):
        landed = _land(begun, declared, block, Path(aside), settings, progress)
    layout = Layout(settings.warehouse)
    if landed.writes:
        keep_report(layout, "capture", landing_report(landed, block.run, watch.total()["landing"]))
    landed = replace(
        landed,
        refusals=(*_left_plain(folder, block, layout), *_stopped(begun, block, layout)),
        unused_keys=unused_keys(begun, declared.keys(), layout),
    )
    if not landed.fault:
        end_block(folder, keep=keep)
    return landed


def _left_plain(folder: Path, block: Block, layout: Layout) -> tuple[Refusal, ...]:
    """Record and return the uncaptured writes of a job that was captured by its configuration."""
    try:
        records = json.loads((folder / "uncaptured.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    found = tuple(Refusal(**each) for each in records)
    note_uncaptured(
        layout, (Uncaptured(each.name, block.run, block.begun, each.reason) for each in found)
    )
    return found


def _stopped(begun: Sequence[CapturedWrite], block: Block, layout: Layout) -> tuple[Refusal, ...]:
    """Record and return the writes whose capture was stopped by its budget."""
    found = tuple(
        Refusal(str(each.path), each.table, "The budget stopped its capture", each.stopped)
        for each in begun
        if each.state == "stopped"
    )
    note_uncaptured(
        layout, (Uncaptured(each.name, block.run, block.begun, each.reason) for each in found)
    )
    return found


def _land(
    begun: Sequence[CapturedWrite],
    keys: Mapping[str, Key],
    block: Block,
    aside: Path,
    settings: Settings,
    progress: Progress,
) -> Landed:
    incomplete = tuple(str(each.path) for each in begun if each.state in ("unknown", "replaced"))
    finished = [each for each in begun if each.state == "finished" and not each.landed.exists()]
    kept_out = KeptOut(finished)
    outputs = _outputs(finished, kept_out)
    exact = any(each.write.names.exact for each in outputs)
    make_folder(settings.warehouse)
    layout = Layout(settings.warehouse)
    store = KeyStore(aside, checked_before(layout, _sources(outputs)), exact=exact)
    _check(outputs, keys, Known(layout), store, kept_out)
    whole = _traced(outputs, block, aside, kept_out)
    if not whole:
        if error := kept_out.error(0):
            raise error
        return Landed(incomplete=incomplete)
    with only_writer(settings, progress):  # a single lock for all that _store commits
        landed = _store(whole, keys, block.run, store, aside, settings, progress)
    for each in whole:
        each.output.write.landed.touch()
    return replace(
        landed,
        incomplete=incomplete,
        kept_out=kept_out.refusals(),
        fault=kept_out.error(len(landed.writes)),
    )


def _store(
    whole: Sequence[Traced],
    keys: Mapping[str, Key],
    run: str,
    store: KeyStore,
    aside: Path,
    settings: Settings,
    progress: Progress,
) -> Landed:
    """Store the writes, then ingest their triples as one new generation."""
    outputs = [each.output for each in whole]
    sources = _sources(outputs)
    marked = marked_outputs(outputs)
    found = [*(traced(each, aside) for each in marked), *whole]
    opened = {rows.place: rows for each in outputs for rows in each.marks.values()}
    places = _marked(opened.values(), run, settings, progress)
    written = _numbered(found[len(marked) :], sources, keys, store, run, settings, progress)
    versions = [*(places[each.rows.place] for each in marked), *written]
    ops = [
        operations(each, version.table, run) for each, version in zip(found, versions, strict=True)
    ]
    streams = Streams(f"capture {run}".strip(), run, aside)
    _streamed(found, versions, places, keys, store, streams, settings)
    described_ops = weakened(_one_each(ops), Layout(settings.warehouse))
    summary = ingest_sources(
        streams.finish(),
        settings,
        small_bytes=SMALL_BYTES,
        operations=described_ops,
        progress=progress,
    )
    end_rows(outputs, written, store, summary.generation, Layout(settings.warehouse))
    writes = zip(found[len(marked) :], written, strict=True)
    landed = tuple(landed_write(each, version) for each, version in writes)
    note_captured(Layout(settings.warehouse), [each.table for each in landed])
    marks = tuple(
        LandedMark(rows.table, places[place].version, len(rows.names))
        for place, rows in opened.items()
    )
    return Landed(landed, summary.generation, marks=marks)


def _outputs(finished: Sequence[CapturedWrite], kept_out: KeptOut) -> list[Output]:
    """Return the files of the finished writes that are not kept out."""
    found = list[Output]()
    for write in finished:
        with kept_out.if_wrong([write]):
            found.extend(outputs_of([write]))
    return found


def _traced(
    outputs: Sequence[Output], block: Block, aside: Path, kept_out: KeptOut
) -> list[Traced]:
    """Return, for each write that is not kept out, the sources of its rows."""
    before, opened, found = kept_out.numbers(), dict[Path, MarkedRows](), list[Traced]()
    for output in outputs:
        if output.write.number not in before:
            with kept_out.if_wrong([output.write]):
                marks = marks_of(output.write, opened, aside)
                found.append(traced(replace(output, marks=marks, sample=block.sample), aside))
    kept = kept_out.numbers()
    return [each for each in found if each.output.write.number not in kept]


def _check(
    outputs: Sequence[Output],
    keys: Mapping[str, Key],
    known: Known,
    store: KeyStore,
    kept_out: KeptOut,
) -> None:
    """Keep out each write whose keys do not identify the rows that it wrote or read."""
    fresh = dict[Path, Key]()
    for output in outputs:
        with kept_out.if_wrong([output.write]):
            key = _stored_key(output, keys)
            check_change(output, key, known, fresh)
            if key and output.files and not isinstance(output, KeyedOutput):
                table = output.write.table
                check_keys(table, key, output.files, store, keys[table])
            for gone in output.write.removed if key else ():
                check_nulls([store.of(gone.path, key, gone.before)], output.write.table, key)
            for source in output.ended() if key else ():
                check_nulls([store.of(source.path, key, source.deleted)], output.write.table, key)
            fresh |= dict.fromkeys(output.files, key)
    for output in outputs:
        with kept_out.if_wrong([output.write]):
            for scan in output.write.keyed:
                source_keys(scan)
                for file, of in zip(scan.file_states, known.writes(scan.file_states), strict=True):
                    if of is None:
                        known.check_other(file)
                if fresh.keys().isdisjoint(scan.files):  # else written rows lack names yet
                    KeyedNames(scan, output.write.number, known, Fresh({})).check()
    check_sources(_sources(outputs), keys, known, fresh, store, kept_out)
    check_places([each.write for each in outputs], keys, known, fresh, kept_out)


def _key(output: Output, keys: Mapping[str, Key]) -> Key:
    """Return the key columns of a write's rows: the columns that a tap wrote, or those declared."""
    write = output.write
    return write.key or (() if write.by_position else keys.get(write.table, ()))


def _stored_key(output: Output, keys: Mapping[str, Key]) -> Key:
    """Return the key columns of a write's rows, by their names in the files."""
    return output.write.names.of(_key(output, keys), output.write.table)


def _sources(outputs: Sequence[Output]) -> list[SourceFile]:
    """Return each source file once for each state in which it was read.

    Without this, a file that several writes read would occur several times, because each write has
    its own number for the file. Of states that differ only in the deleted rows, the result has the
    one with the fewest.
    """
    every = [source for output in outputs for source in output.write.sources]
    every.sort(key=lambda each: each.deleted.count if each.deleted else 0, reverse=True)
    return list({(each.path, each.bytes, each.changed): each for each in every}.values())


def _marked(
    opened: Iterable[MarkedRows], run: str, settings: Settings, progress: Progress
) -> dict[Path, Written]:
    """Assign versions to marked rows; return, for each folder of marked rows, their version."""
    rows = list(opened)
    new = [NewWrite(each.table, each.key, (each.place,), run) for each in rows]
    versions = number_writes(new, settings, progress) if new else []
    return {each.place: version for each, version in zip(rows, versions, strict=True)}


def _numbered(
    found: Sequence[Traced],
    sources: Sequence[SourceFile],
    keys: Mapping[str, Key],
    store: KeyStore,
    run: str,
    settings: Settings,
    progress: Progress,
) -> list[Written]:
    """Assign versions to writes, and numbers to source files whose rows are named by row ids."""
    outputs = [each.output for each in found]
    new = [_new(each, keys, store, run) for each in found]
    versions = number_writes(new, settings, progress)
    layout = Layout(settings.warehouse)
    keep_versions(outputs, versions, store, layout)
    known = Known(layout)
    add_samples(layout, sampled_writes(outputs, versions, known))
    add_pins(layout, pins_of(outputs, versions, sources, keys, known, store))
    missing = without_numbers(sources, keys, known)
    if missing:
        number_files([str(path) for path in missing], settings, progress)
    return versions


def _columns(output: Output, keys: Mapping[str, Key], store: KeyStore) -> Key:
    """Return the columns of a write's key, with the names that they have in its files."""
    key = _stored_key(output, keys)
    in_tap = isinstance(output, KeyedOutput) or not key
    return key if in_tap else store.columns(_files(output)[0], key)


def _files(output: Output) -> list[Path]:
    """Return the files that a write made or removed, and those in which rows have ended."""
    removed = (file.path for file in output.write.removed)
    return [*output.files, *removed, *(source.path for source in output.ended())]


def _new(found: Traced, keys: Mapping[str, Key], store: KeyStore, run: str) -> NewWrite:
    output, write = found.output, found.output.write
    key, columns = _key(output, keys), _columns(output, keys, store)
    bare = bare_rows(found) if key else 0
    path = str(write.path)
    stored = columns if columns != key else ()
    files = output.files or ((write.committed,) if write.committed else ())
    states = tuple(state_of(file) for file in files)
    facts = (run, write.columns, path, write.replaces, bare, tracking_of(output), stored, states)
    return NewWrite(write.table, key, files, *facts)


def _streamed(
    found: Sequence[Traced],
    versions: Sequence[Written],
    places: Mapping[Path, Written],
    keys: Mapping[str, Key],
    store: KeyStore,
    streams: Streams,
    settings: Settings,
) -> None:
    known = Known(Layout(settings.warehouse))
    fresh = _fresh(found, versions)
    for each, version in zip(found, versions, strict=True):
        write = each.output.write
        scans = [KeyedNames(scan, write.number, known, fresh) for scan in write.keyed]
        for scan in scans:
            scan.check()
        sources = SourceNames(each.output, keys, known, store, places, scans)
        for piece in pieces(each, version.table):
            streams.add(piece, sources, _names(each.output, version, known, store))


def _fresh(found: Sequence[Traced], versions: Sequence[Written]) -> Fresh:
    return Fresh(
        {
            version.version: each.output
            for each, version in zip(found, versions, strict=True)
            if isinstance(each.output, KeyedOutput)
        }
    )


def _names(
    output: Output, version: Written, known: Known, store: KeyStore
) -> OutputNames | MarkedNames | KeyedOutputNames:
    if isinstance(output, MarkedOutput):
        return MarkedNames(output, version)
    if isinstance(output, KeyedOutput):
        return KeyedOutputNames(output, version)
    return OutputNames(output, version, known, store)


def _one_each(ops: Sequence[pa.Table]) -> pa.Table:
    """Return one description for each op.

    Ops may repeat, because two appends to a table have the same ops. If the descriptions of an op
    differ, the result has the weakest exactness and kind, and omits the facts that differ.
    """
    found = dict[str, dict[str, str | None]]()
    for row in (row for table in ops for row in table.to_pylist()):
        other = found.setdefault(row[OP], row)
        exactness = weakest((row[EXACTNESS], str(other[EXACTNESS])))
        same = {name: value if other[name] == value else None for name, value in row.items()}
        found[row[OP]] = {**same, KIND: same[KIND] or WEAKEST_KIND, EXACTNESS: exactness}
    return pa.Table.from_pylist(list(found.values()), schema=ops[0].schema)
