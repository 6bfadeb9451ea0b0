"""Preview an ingest (``ingest --dry-run``): run only its first steps and report the results.

The steps run in this process and use a temporary folder. They start neither Spark nor Neo4j, and do
not write to the warehouse, which need not exist. Duplicates are not counted, because finding them
is most of the work of the later steps.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.columns import COMPONENT, FIRST, ITEMS, MODULE, TABLES_OF
from provhouse.model.naming import SaidNaming
from provhouse.model.patterns import declared_patterns
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.scratch import scratch
from provhouse.runtime.storage import read_stream
from provhouse.store.tables.modules import MODULES
from provhouse.store.tables.operations import OPERATIONS
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

from .declared_modules import given_modules
from .declared_patterns import patterns_of
from .formats.column_mapping import AS_NAMED, ColumnNames
from .formats.discover import sources
from .formats.known_formats import check
from .formats.passed_over import check_complete, passed_over
from .formats.source import Source
from .formats.spool import ArrowStream
from .ingest_summary import SHOWN, Reject
from .item_naming import naming_of
from .job import Inputs, Job
from .op_descriptions import given_operations, without_triples
from .splits import read_splits
from .staging import Staging
from .steps.cut_components import CutResult, cut
from .steps.describe import new_descriptions
from .steps.number import NumberResult, number
from .steps.order import CUT, NUMBER, READ
from .steps.read import ReadResult, read

LARGEST = 3
"""The largest number of components that a preview lists: the components with the most new items."""


@dataclass(frozen=True)
class FileKind:
    """Files that have the same format and the same columns."""

    format: str
    files: int
    first: str
    """The path of the first file."""
    columns: tuple[tuple[str, tuple[str, ...]], ...]
    """Pairs of a column and its meaning: known names, ``attribute``, or ``scope, attribute``."""
    constants: tuple[tuple[str, str], ...] = ()
    """Pairs of a known name, such as ``src_table``, and its value in every row."""


@dataclass(frozen=True)
class Component:
    """A component that the ingest would cut into several sets."""

    items: int
    sets: int
    splits: tuple[tuple[str, ...], ...]
    """The tables of the items, in groups. Tables whose items are in the same set are in one group.

    The empty name stands for items without a table.
    """


@dataclass(frozen=True)
class Preview:
    """The results that an ingest of the same files would have."""

    files: int
    rows: int
    """The number of rows, including rejected rows and duplicates."""
    rejected: int
    items: int
    new_items: int
    two_tables: int
    tables: tuple[str, ...]
    components: int
    """The number of components of the new items."""
    sets: int
    """The number of new sets."""
    forms: tuple[FileKind, ...]
    rejects: tuple[Reject, ...]
    """The first rejected rows."""
    passed_over: int
    """The number of unread files in the given folders."""
    first_passed_over: tuple[str, ...]
    largest: tuple[Component, ...]
    """The components with the most new items that the ingest would cut."""
    seconds: dict[str, float]
    operations: int = 0
    """The number of ops whose description is new or would change."""
    modules: int = 0
    """The number of modules whose declaration is new or would change."""
    unread: dict[str, int] = field(default_factory=dict)
    """The number of document parts that would not become triples, by kind of part."""


def preview(
    files: Sequence[Path],
    settings: Settings,
    *,
    input_format: str | None = None,
    columns: ColumnNames = AS_NAMED,
    splits: Path | None = None,
    run: str | None = None,
    replace: bool = False,
    strict: bool = False,
    names: SaidNaming | None = None,
    patterns: Mapping[str, str] = MappingProxyType({}),
    operations: Path | ArrowStream | None = None,
    modules: Path | None = None,
    progress: Progress,
) -> Preview:
    """Return the results that ``ingest`` would have with these arguments, or raise its errors."""
    watch = Stopwatch()
    layout = Layout(settings.warehouse)
    found = sources(files, input_format, columns, settings.own_folders)
    missed = passed_over(files, input_format, (source.path for source in found))
    if strict:
        check_complete(missed)
    given = (splits, read_splits(splits)) if splits else None
    described = None if operations is None else given_operations(operations, settings.own_folders)
    of_modules = None if modules is None else given_modules(modules)
    forms = _forms(found)
    before = current(layout)
    extends = None if replace else before
    naming = naming_of(before, names, new_base=replace)
    declared = patterns_of(before, declared_patterns(patterns), naming, new_base=replace)
    with ExitStack() as stack:
        if not found and (alone := described or of_modules):
            found = stack.enter_context(without_triples(alone.source, run=run, replace=replace))
        folder = stack.enter_context(scratch("preview"))
        if extends:
            stack.enter_context(pinned(layout, extends))
        job = Job(
            settings=settings,
            layout=layout,
            before=before,
            extends=extends,
            rolls_back_to=None,
            ids=read_ids(layout),
            inputs=Inputs(
                found,
                given,
                strict,
                run,
                passed_over=missed,
                operations=described,
                modules=of_modules,
            ),
            naming=naming,
            patterns=declared,
            staging=Staging(Path(folder)).create(),
            progress=progress,
            watch=watch,
        )
        with job.step(READ):
            rows = read(job)
        with job.step(NUMBER):
            numbered = number(job, rows)
        with job.step(CUT):
            pieces = cut(job, rows, numbered)
        return _found(job, forms, rows, numbered, pieces)


def _forms(found: Sequence[Source]) -> tuple[FileKind, ...]:
    """Group the files by format and columns; order the groups by their first files."""
    count: Counter[tuple[str, tuple[str, ...]]] = Counter()
    first: dict[tuple[str, tuple[str, ...]], Source] = {}
    for source in found:
        key = (source.format, tuple(check(source)))
        count[key] += 1
        first.setdefault(key, source)
    return tuple(
        FileKind(
            key[0],
            count[key],
            source.path,
            tuple((c, source.columns.of(key[1]).meaning(c)) for c in key[1]),
            source.columns.constants,
        )
        for key, source in first.items()
    )


def _found(
    job: Job,
    forms: tuple[FileKind, ...],
    read: ReadResult,
    numbered: NumberResult,
    pieces: CutResult,
) -> Preview:
    groups = job.staging.new_groups(job.room)
    sets = _without_groups(read_stream(job.staging.sets), groups)
    components = sets.group_by(COMPONENT).aggregate([(ITEMS, "sum"), ([], "count_all")])
    cut = components.filter(pc.greater(components["count_all"], 1))
    described = new_descriptions(job)
    largest = cut.sort_by([(f"{ITEMS}_sum", "descending"), (COMPONENT, "ascending")])
    return Preview(
        files=sum(form.files for form in forms),
        rows=read.rows + read.rejected,
        rejected=read.rejected,
        items=read.items - job.staging.count_groups(),
        new_items=pieces.items - len(groups),
        two_tables=read.two_tables,
        tables=tuple(table for table in numbered.tables if table),
        components=components.num_rows,
        sets=pieces.sets,
        forms=forms,
        rejects=tuple(read.first_rejects),
        passed_over=len(job.inputs.passed_over),
        first_passed_over=tuple(job.inputs.passed_over[:SHOWN]),
        largest=tuple(
            Component(
                items=row[f"{ITEMS}_sum"],
                sets=row["count_all"],
                splits=_splits(sets.filter(pc.equal(sets[COMPONENT], row[COMPONENT]))[TABLES_OF]),
            )
            for row in largest.slice(0, LARGEST).to_pylist()
        ),
        seconds=job.watch.total(),
        operations=described[OPERATIONS].num_rows,
        modules=len(described[MODULES][MODULE].unique()),
        unread=read.unread,
    )


def _without_groups(sets: pa.Table, groups: I64) -> pa.Table:
    """Return the new sets, with item counts that exclude groups."""
    if not len(groups):
        return sets
    of = np.searchsorted(np.asarray(sets[FIRST]), groups, "right") - 1
    items = np.asarray(sets[ITEMS]) - np.bincount(of, minlength=sets.num_rows)
    return sets.set_column(sets.column_names.index(ITEMS), ITEMS, pa.array(items))


def _splits(tables: pa.ChunkedArray) -> tuple[tuple[str, ...], ...]:
    """Return groups of tables, ordered by name. Tables that share a set are in one group."""
    found: list[set[str]] = []
    for names in {tuple(names) or ("",) for names in tables.to_pylist()}:
        joined = set(names).union(*(split for split in found if not split.isdisjoint(names)))
        found = [split for split in found if split.isdisjoint(names)] + [joined]
    return tuple(sorted(tuple(sorted(split)) for split in found))
