"""Carry out the steps of an erasure. Each step can be repeated after an interruption.

The order of the steps matters. First, ``erased.npy`` hides the names from all readers at once.
Next, the ops that occur only in triples of erased items are removed from the tables that describe
ops or count triples. This is done while the triples still have their ops. Then triples, names,
look-ups and logs are cleared. Last, Neo4j is rebuilt, if ``erasure.json`` requests it.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from provhouse.cypher.access import has_names
from provhouse.cypher.graph import shared_graph
from provhouse.cypher.wiping import wipe
from provhouse.model.arrays import ItemNumbers, among, union
from provhouse.model.errors import Busy, Damaged, Unavailable
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.scratch import clear_abandoned
from provhouse.store.names.erased import erased_in
from provhouse.store.tables.group_counts import without_texts
from provhouse.store.tables.registry import REGISTRY, clear
from provhouse.store.tables.snapshot import Snapshot, all_of_base
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import current, raise_format
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock

from ..graph_rows import announce
from ..module_graph import module_graph
from ..reload import reload
from ..writer_log import clear_logs
from .calls import has_lone_calls
from .erased_descriptions import clear_descriptions
from .erasure_file import Erasure, end_erasure, read_erasure, write_erasure
from .name_files import clear_ids, clear_lookup, clear_segments, clear_versions, mark_erased
from .rejects import finish_rejected
from .triples import clear_links, clear_ops, lone_ops, lone_ops_of_pairs


@dataclass(frozen=True)
class Resumed:
    """The results of completing an interrupted erasure."""

    erasure: Erasure
    items: int = 0
    links: int = 0
    """The number of triples that touch the erased items."""
    graph: bool = False
    """Whether Neo4j was rebuilt."""


def resume_erasure(
    settings: Settings, progress: Progress, *, in_views: bool = True
) -> Resumed | None:
    """Complete an erasure that an earlier writer began; return None if there is no such erasure.

    Only the writer may call this. If Neo4j is in use, it is not rebuilt now but by a later writer.
    In this case, the result has no counts, and a progress message reports this.
    """
    layout = Layout(settings.warehouse)
    erasure = read_erasure(layout)
    if erasure is None:
        return None
    try:
        links, graph = erase(settings, progress, in_views=in_views)
    except Busy as error:
        check_lock(layout)
        progress.say(f"{error.wanted}. {error.found}")
        return Resumed(erasure)
    items = count_items(layout, erasure)
    if in_views and items:
        progress.say(
            f"Completed an erasure that was interrupted (items: {items:,}, triples: {links:,})"
        )
    return Resumed(erasure, items, links, graph)


def count_items(layout: Layout, erasure: Erasure) -> int:
    """Return the number of items of an erasure, without groups."""
    stored = erasure.items.keys() & set(bases(layout))
    numbers = {base: ItemNumbers(np.array(erasure.items[base], np.int64)) for base in stored}
    return sum(
        int(np.count_nonzero(~among(each, all_of_base(layout, base).groups)))
        for base, each in numbers.items()
    )


def repeat_erasures(settings: Settings, progress: Progress) -> None:
    """Repeat all erasures ever made, in case a string of an erased item is still stored.

    Only the writer may call this. If ``erasure.json`` is damaged, Neo4j is also rebuilt, since the
    file may have requested this.
    """
    layout = Layout(settings.warehouse)
    try:
        erasure = read_erasure(layout) or Erasure({})
    except Damaged:
        erasure = Erasure({}, graph=True)
    items = {base: erased_in(layout.names(base)) for base in bases(layout)}
    for base in items.keys() & erasure.items.keys():
        items[base] = ItemNumbers(union(items[base], erasure.items[base]))
    known = {base: numbers.tolist() for base, numbers in items.items() if len(numbers)}
    unfinished = layout.erasure.exists()
    if known or unfinished:
        write_erasure(layout, replace(erasure, items=known))
        resume_erasure(settings, progress, in_views=unfinished)


def erase(settings: Settings, progress: Progress, *, in_views: bool = True) -> tuple[int, bool]:
    """Carry out the erasure in progress, if there is one.

    ``in_views`` is true if views in Neo4j may contain the names. It is false if the same items
    were erased before. Returns the number of triples that touch the erased items, and whether Neo4j
    was rebuilt. Raises Busy if Neo4j must be rebuilt but is in use; all other steps have then been
    carried out.
    """
    layout = Layout(settings.warehouse)
    erasure = read_erasure(layout)
    if erasure is None:
        return 0, False
    # Bases without a folder were pruned. The newest base, which is the current one, comes first.
    stored = sorted(erasure.items.keys() & set(bases(layout)), reverse=True)
    items = {base: ItemNumbers(np.array(erasure.items[base], np.int64)) for base in stored}
    for base in stored:
        check_lock(layout)
        mark_erased(layout.names(base), items[base])
    clear_descriptions([all_of_base(layout, base) for base in bases(layout)], items)
    links = sum(_erase_base(all_of_base(layout, base), items[base], progress) for base in stored)
    check_lock(layout)
    for base in bases(layout):
        finish_rejected(layout, base)
    for table in REGISTRY:
        clear(layout, table)
    clear_logs(layout)
    clear_abandoned()
    reach("logs cleared")
    # From now on, no answer has the names, so views written later cannot have them either.
    if in_views and stored and _in_views(settings, items):
        _request_rebuild(layout)
    rebuild = _rebuild_requested(layout)
    if rebuild:
        _rebuild_graph(settings, progress)
    elif links:
        _count_modules_again(settings, progress)
    end_erasure(layout)
    return links, rebuild


def _in_views(settings: Settings, items: dict[int, ItemNumbers]) -> bool:
    """Return whether views may have brought names of these items into Neo4j.

    If a base is missing in ``items``, it contains none of the names, so none of its items are
    checked.
    """
    layout = Layout(settings.warehouse)
    known = {base: items[base].tolist() if base in items else [] for base in bases(layout)}
    return has_names(settings, layout.warehouse_id(), known)


def _erase_base(snapshot: Snapshot, items: ItemNumbers, progress: Progress) -> int:
    """Erase items from a base; return the number of triples that touch these items."""
    layout, base = snapshot.layout, snapshot.commit.base
    names = layout.names(base)
    progress.begin(f"Erase from base {base}")
    check_lock(layout)
    cleared = ItemNumbers(items[among(items, without_texts(snapshot))])
    ops, pairs = lone_ops(snapshot, cleared), lone_ops_of_pairs(snapshot, cleared)
    if ops or pairs or has_lone_calls(snapshot, cleared):
        _request_rebuild(layout)
        clear_ops(snapshot, ops, pairs)
    links = clear_links(snapshot, cleared)
    check_lock(layout)
    raise_format(layout)  # earlier releases cannot read the look-ups
    clear_segments(names, snapshot.spans, items)
    for span in snapshot.spans:
        if span.items:
            clear_lookup(names, span, items)
            clear_ids(names, span, items)
            clear_versions(names, span, items)
    return links


def _request_rebuild(layout: Layout) -> None:
    erasure = read_erasure(layout) or Erasure({})
    write_erasure(layout, replace(erasure, graph=True))


def _rebuild_requested(layout: Layout) -> bool:
    """Return whether the erasure in progress requests a rebuild of Neo4j."""
    erasure = read_erasure(layout)
    return erasure is not None and erasure.graph


def _rebuild_graph(settings: Settings, progress: Progress) -> None:
    progress.begin("Rebuild Neo4j without the erased items")
    wipe(Layout(settings.warehouse).warehouse_id(), settings, progress)
    if settings.shares_graph_home:
        progress.say(
            "Neo4j was rebuilt: run `provhouse check --repair` on other warehouses that share it"
        )
    reload(settings, progress)
    reach("Neo4j made anew")


def _count_modules_again(settings: Settings, progress: Progress) -> None:
    """Update the modules in Neo4j, since a cleared triple may no longer belong to its module."""
    layout = Layout(settings.warehouse)
    commit = current(layout)
    shown = Snapshot(layout, commit) if commit else None
    modules = module_graph(shown) if shown else {}
    if shown and modules:
        with (
            suppress(Unavailable),  # Neo4j has no erased text; only its counts are outdated
            shared_graph(layout.warehouse_id(), settings, progress) as graph,
        ):
            announce(graph, shown, modules)
