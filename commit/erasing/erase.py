"""What an erasure does once it is known which items go, as often as it takes.

In this order: ``erased.npy`` lets every reader do without the names at once; ops that only they had
leave the tables that count, while the triples still tell which these are; triples, names, look-ups
and logs follow, and last Neo4j, if ``erasure.json`` says so by then.
"""

from dataclasses import replace

import numpy as np

from provhouse.cypher.server import wipe
from provhouse.model.arrays import I64
from provhouse.model.errors import Busy, Damaged
from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.scratch import clear_abandoned
from provhouse.store.names.names import erased_in
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.whole import whole
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import still_writing

from ..reload import reload
from ..writer_log import clear_logs
from .names import add_erased, clear_lookup, clear_segments
from .progress_file import Erasure, end_erasure, read_erasure, write_erasure
from .rejects import settle_rejected
from .triples import clear_links, clear_ops, lone_ops, lone_ops_of_pairs


def carry_on(settings: Settings, progress: Progress) -> None:
    """Complete the erasure that another writer began, if there is one; for the one writer.

    Neo4j may be in use. Then that is left to a later writer, and said.
    """
    try:
        erase(settings, progress)
    except Busy as error:
        still_writing(Layout(settings.warehouse))
        progress.say(f"{error.wanted}. {error.found}")


def erase_again(settings: Settings, progress: Progress) -> None:
    """Erase all that was ever erased, wherever something of it is left; for the one writer.

    Also where what is under way cannot be read: then Neo4j is made anew too, lest it was to be.
    """
    layout = Layout(settings.warehouse)
    try:
        under_way = read_erasure(layout) or Erasure({})
    except Damaged:
        under_way = Erasure({}, graph=True)
    items = {base: erased_in(layout.names(base)) for base in bases(layout)}
    for base in items.keys() & under_way.items.keys():
        items[base] = np.union1d(items[base], under_way.items[base])
    known = {base: numbers.tolist() for base, numbers in items.items() if len(numbers)}
    if known or layout.erasure.exists():
        write_erasure(layout, replace(under_way, items=known))
        carry_on(settings, progress)


def erase(settings: Settings, progress: Progress) -> tuple[int, bool]:
    """Do all that the erasure under way asks for.

    Says how many triples touch its items, and whether Neo4j was made anew. Raises Busy while others
    use a Neo4j that has to be; the rest is done by then.
    """
    layout = Layout(settings.warehouse)
    erasure = read_erasure(layout)
    if erasure is None:
        return 0, False
    there = sorted(erasure.items.keys() & set(bases(layout)), reverse=True)  # others were pruned
    items = {base: np.array(erasure.items[base], np.int64) for base in there}
    for base in there:  # the current one is the newest
        still_writing(layout)
        add_erased(layout.names(base), items[base])
    links = sum(_base(whole(layout, base), items[base], progress) for base in there)
    still_writing(layout)
    for base in bases(layout):
        settle_rejected(layout, base)
    clear_logs(layout)
    clear_abandoned()
    reach("logs cleared")
    graph = _needs_graph(layout)
    if graph:
        _remake(settings, progress)
    end_erasure(layout)
    return links, graph


def _base(held: Snapshot, items: I64, progress: Progress) -> int:
    """Erase some items of a base; how many triples touch them."""
    layout, base = held.layout, held.commit.base
    names = layout.names(base)
    progress.begin(f"Erase from base {base}")
    still_writing(layout)
    ops, pairs = lone_ops(held, items), lone_ops_of_pairs(held, items)
    if ops or pairs:
        _let_graph_be_remade(layout)
        clear_ops(held, ops, pairs)
    links = clear_links(held, items)
    still_writing(layout)
    clear_segments(names, held.spans, items)
    for span in held.spans:
        if span.items:
            clear_lookup(names, span, items)
    return links


def _let_graph_be_remade(layout: Layout) -> None:
    erasure = read_erasure(layout) or Erasure({})
    write_erasure(layout, replace(erasure, graph=True))


def _needs_graph(layout: Layout) -> bool:
    """Whether the erasure under way wants Neo4j to be made anew."""
    erasure = read_erasure(layout)
    return erasure is not None and erasure.graph


def _remake(settings: Settings, progress: Progress) -> None:
    progress.begin("Make Neo4j anew without what was erased")
    wipe(settings.graph_home, progress)
    if settings.neo4j_home:
        progress.say("Neo4j was made anew: a warehouse that shares it wants `provhouse repair` now")
    reload(settings, progress)
    reach("Neo4j made anew")
