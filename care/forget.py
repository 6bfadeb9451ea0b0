"""Erase items permanently, as the law may require: from every generation, base, log and copy.

An erased item keeps its number, but not its name; its triples remain, without ops or attributes. So
the lineage of all other items stays complete (``docs/erasing.md``).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from provhouse.commit.erasing.erase import Resumed, count_items, erase
from provhouse.commit.erasing.erasure_file import Erasure, hashed_names, read_erasure, write_erasure
from provhouse.commit.erasing.rejects import clear_rejected, rejects_naming
from provhouse.commit.single_writer import only_writer
from provhouse.model.arrays import ItemNumbers, among, union
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.names.names import Names
from provhouse.store.tables.group_counts import groups_to_erase
from provhouse.store.tables.snapshot import all_of_base
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import generations, nothing_stored
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import erase_reports
from provhouse.workflows.erase_results import erase_results


@dataclass(frozen=True)
class Forgotten:
    """The result of an erasure, with counts of the erased names, items, triples and rows."""

    generation: int
    """The current generation. An erasure does not create a new one."""
    names: int
    items: int
    """The number of items with these names.

    A name can have an item in each base, and another item in each ingest that was rolled back.
    """
    triples: int
    """The number of triples that had one of these items as src or dst."""
    rejected: int
    """The number of rejected rows that named these items, in all bases."""
    neo4j: bool
    """Whether Neo4j was rebuilt."""
    seconds: dict[str, float]


@dataclass
class _Occurrences:
    """The places where the given names are stored."""

    items: dict[int, list[int]]
    """The numbers of the items, by base."""
    rejects: list[Path]
    missing: set[str]


def forget(
    names: Sequence[str],
    settings: Settings,
    progress: Progress,
    alone: AbstractContextManager[object] | None = None,
) -> Forgotten:
    """Erase items by their names.

    All changes are made inside the context ``alone``, which can stop the server meanwhile. If this
    call first completes an interrupted erasure of a name, the name also counts as stored, and the
    result includes the counts of that erasure. Raises UsageError if there is no name or a name is
    empty, NotFound, with nothing changed, if a name is stored nowhere, and Busy if another writer
    is active. Also raises Busy, after all other work is done, if Neo4j must be rebuilt but other
    processes use it.
    """
    watch = Stopwatch()
    if not names or not all(names):
        raise UsageError("Name the items to erase", "A name is missing or empty")
    layout = Layout(settings.warehouse)
    if not generations(layout):  # before the lock creates the folder
        raise nothing_stored(layout)
    with only_writer(settings, progress, thorough=True) as resumed:
        progress.begin("Find the names")
        with watch.step("find"):
            found = _find(layout, names)
        ours = resumed if resumed and any(map(resumed.erasure.has_name, names)) else None
        _check_found(found, names, ours)
        erase_results(layout)
        erase_reports(layout)
        left = read_erasure(layout)  # an erasure that has yet to rebuild Neo4j
        if left and not ours:  # only its rebuild of Neo4j is left
            left = Erasure({}, graph=left.graph)
        items = sum(map(len, found.items.values()))
        items += count_items(layout, left) if left else ours.items if ours else 0
        rejected, links, graph = 0, 0, False
        if found.items or found.rejects or left:
            with alone or nullcontext(), watch.step("erase"):
                rejected = _begin(layout, settings, found, names, left)
                links, graph = erase(settings, progress)
    return Forgotten(
        generation=generations(layout)[-1],
        names=len(set(names)),
        items=items,
        triples=links + (ours.links if ours else 0),
        rejected=rejected,
        neo4j=graph or (ours is not None and ours.graph),
        seconds=watch.total(),
    )


def _check_found(found: _Occurrences, names: Sequence[str], ours: Resumed | None) -> None:
    """Raise NotFound if a name is missing, unless the erasure ``ours`` has just erased it."""
    if ours:
        found.missing -= {name for name in found.missing if ours.erasure.has_name(name)}
    if found.missing:
        raise NotFound(
            f"Not all of the {len(set(names)):,} items to erase are in this warehouse",
            f"{len(found.missing):,} are missing, for example {min(found.missing)!r}",
            "Nothing was erased. Names must match exactly",
        )


def _begin(
    layout: Layout,
    settings: Settings,
    found: _Occurrences,
    names: Sequence[str],
    left: Erasure | None,
) -> int:
    """Write the record of the erasure, and clear rejected rows; return the number of these rows."""
    begun = left or Erasure({})
    begun = replace(begun, names=(*begun.names, *hashed_names(names)))
    write_erasure(layout, begun)  # so that after a crash the next writer clears the logs
    rejected = sum(clear_rejected(path, names) for path in found.rejects)
    if found.items:
        items = {base: _with_groups(layout, base, each) for base, each in found.items.items()}
        for base in items.keys() & begun.items.keys():
            items[base] = union([*items[base], *begun.items[base]]).tolist()
        # Always rebuild a Neo4j that is not shared: its logs may contain more data of the items,
        # and so may the remains of a crash.
        rebuild = begun.graph or not settings.shares_graph_home
        write_erasure(layout, replace(begun, items={**begun.items, **items}, graph=rebuild))
    return rejected


def _with_groups(layout: Layout, base: int, items: Sequence[int]) -> list[int]:
    """Return the given items of a base, and the groups that must be erased with them."""
    numbers = ItemNumbers(union(items))
    groups = groups_to_erase(all_of_base(layout, base), numbers)
    both: list[int] = union(numbers, groups).tolist()
    return both


def _find(layout: Layout, names: Sequence[str]) -> _Occurrences:
    """Find where the names are stored, in each base and ingest, including rolled back ingests."""
    wanted = pa.array(sorted(set(names)), pa.string())
    found = _Occurrences({}, [], set(wanted.to_pylist()))
    for base in bases(layout):
        held = all_of_base(layout, base)
        for span in held.spans:
            numbers = Names(layout.names(base), [span]).locate(wanted)
            numbers[among(numbers, held.groups)] = -1
            if (numbers >= 0).any():
                found.items.setdefault(base, []).extend(numbers[numbers >= 0].tolist())
                found.missing -= set(wanted.filter(pa.array(numbers >= 0)).to_pylist())
        for path, named in rejects_naming(held, names).items():
            found.rejects.append(path)
            found.missing -= named
    return found
