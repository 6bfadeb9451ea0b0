"""Check that the parts of a warehouse agree with each other, and report every damage found.

A check covers every part, even if earlier parts are damaged. It changes nothing and does not block
writers, since it examines the generation that was current when it began.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import perf_counter

from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.registry import FILES, REGISTRY
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, generations, read_commit, require_current
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import reading

from .check_file_numbers import file_number_damages
from .check_graph import dependency_damages, load_damages, module_damages
from .check_life import life_damages
from .check_names import name_damages
from .check_operations import operation_damages
from .check_partitions import partition_damages
from .check_records import record_damages
from .check_registered import registered_damages
from .check_tables import file_damages, table_damages
from .damage_report import Damage, Report

Counts = Counter[str]
Damages = Iterator[Damage]


def check(settings: Settings, progress: Progress, *, deep: bool = False) -> Report:
    """Check every part of a warehouse; with ``deep``, also read every triple and every name.

    Raises NotFound if nothing was ever ingested.
    """
    began = perf_counter()
    layout = Layout(settings.warehouse)
    counts: Counts = Counter()
    damages = list(_damages_of("commits", lambda: record_damages(layout, counts)))
    for table in REGISTRY:
        damages += _damages_of(table.title, partial(registered_damages, layout, table))
    if not any(damage.where == FILES.title for damage in damages):
        damages += file_number_damages(layout, counts)
    try:
        commit = require_current(layout)
    except Damaged:  # reported above
        return Report(None, deep, dict(counts), tuple(damages), perf_counter() - began)
    with _graph(layout, settings, progress, damages) as graph:
        if graph:
            damages += load_damages(layout, graph)
        for snapshot in _last_snapshots(layout, commit):
            base = snapshot.commit.base
            with reading(layout, base):
                if snapshot.commit.generation not in generations(layout):  # just pruned
                    continue
                for name, part in _parts(snapshot, graph, progress, counts, deep).items():
                    progress.begin(f"Check {name} of base {base}")
                    damages += _damages_of(name, part)
    return Report(commit.generation, deep, dict(counts), tuple(damages), perf_counter() - began)


@contextmanager
def _graph(
    layout: Layout, settings: Settings, progress: Progress, damages: list[Damage]
) -> Iterator[Graph | None]:
    """Yield the warehouse's graph.

    If the warehouse's id cannot be read, adds a `Damage` to ``damages`` and yields None.
    """
    try:
        warehouse = layout.warehouse_id()
    except Damaged as error:
        damages.append(Damage("identity", error.wanted, error.found, error.remedy))
        yield None
        return
    with shared_graph(warehouse, settings, progress) as graph:
        yield graph


def _last_snapshots(layout: Layout, now: Commit) -> Iterator[Snapshot]:
    """Yield the last snapshot of each base, with the current snapshot first."""
    yield Snapshot(layout, now)
    seen = {now.base}
    for number in reversed(generations(layout)):
        with suppress(Damaged, NotFound):  # reported by the check of records, or just pruned
            commit = read_commit(layout, number)
            if commit.base not in seen and layout.base(commit.base).is_dir():
                yield Snapshot(layout, commit)
            seen.add(commit.base)


def _parts(
    snapshot: Snapshot, graph: Graph | None, progress: Progress, counts: Counts, deep: bool
) -> dict[str, Callable[[], Damages]]:
    parts: dict[str, Callable[[], Damages]] = {
        "files": lambda: file_damages(snapshot, counts),
        "tables": lambda: table_damages(snapshot, counts),
        "life": lambda: life_damages(snapshot, counts),
        "operations": lambda: operation_damages(snapshot, counts),
        "names": lambda: name_damages(snapshot, counts, deep=deep),
    }
    if graph:
        parts["Neo4j"] = lambda: dependency_damages(snapshot, graph, counts)
        parts["modules in Neo4j"] = lambda: module_damages(snapshot, graph, counts)
    if deep:
        parts["partitions"] = lambda: partition_damages(snapshot, progress, counts)
    return parts


def _damages_of(where: str, part: Callable[[], Damages]) -> Damages:
    """Yield each `Damage` of a part, and another one if an error stops the check of that part."""
    try:
        yield from part()
    except Damaged as error:
        yield Damage(where, error.wanted, error.found, error.remedy)
