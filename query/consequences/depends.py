"""Find out whether an item would exist without another, and a smallest set of needed sources."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import I32, ItemNumber, ItemNumbers
from provhouse.model.progress import Stopwatch
from provhouse.model.samples import Sample

from ..lineage.ask import Asker
from ..locate import locate_versions
from ..methods.csprov import CSProv
from ..passed_samples import common_fields, samples_passed
from .deletion.codes import DELETED, DIES, UNDECIDED
from .deletion.derivation_index import Derivations
from .deletion.described import Described
from .deletion.fates import fates
from .deletion.support import smallest_kill

Exists = Literal["yes", "no", "undecided"]


@dataclass(frozen=True, kw_only=True)
class Dependency(Header):
    """Whether ``item`` would exist without ``on``, and a smallest set of sources that it needs."""

    item: str
    on: str
    exists: Exists
    derived: bool
    """Whether ``item`` is derived from ``on``, directly or not."""
    smallest: tuple[str, ...] | None
    """A smallest set of up to three sources without which the item would not exist; None if not
    found.
    """
    searched: bool
    """False if the search for ``smallest`` was given up because it would take too long."""
    complete: bool
    read: Read


def depends(asker: Asker, item: str, on: str) -> Dependency:
    """Return whether an item would exist without another item.

    Reads the same data as the lineage of the item. Raises NotFound if one of the items is not
    stored.
    """
    return asker.snapshot.names.settled(lambda: _depends(asker, item, on))


def _depends(asker: Asker, item: str, on: str) -> Dependency:
    watch = Stopwatch()
    with watch.step("locate"):
        located, other = (locate_versions(asker.snapshot, name) for name in (item, on))
    described, read = lineage_of(asker, located.first, watch)
    with watch.step("recurse"):
        graph = Derivations(described.rows)
        places, deleted = (graph.place(one.numbers) for one in (located, other))
        found = fates(graph, deleted)
        fate = int(found.fate[places[0]]) if len(places) else -1
        if located.first == other.first:
            fate = DELETED
        derived = len(places) and graph.first[places[0]] < graph.first[places[0] + 1]
        search = smallest_kill(graph, int(places[0])) if derived else None
    samples = samples_above(asker, located.numbers, described)
    exists: dict[int, Exists] = {DIES: "no", DELETED: "no", UNDECIDED: "undecided"}
    return Dependency(
        **common_fields(asker.snapshot, watch, read, samples),
        item=located.names[0],
        on=other.names[0],
        exists=exists.get(fate, "yes"),
        derived=len(places) > 0 and bool(np.isin(places[0], found.reached)),
        smallest=_names(asker, graph, search.found if search else None),
        searched=search.complete if search else True,
    )


def lineage_of(asker: Asker, item: ItemNumber, watch: Stopwatch) -> tuple[Described, Read]:
    """Return the triples that the lineage of an item reads, and what was read to find them."""
    walk = asker.walk(item, "upstream", watch)
    triples, read = CSProv(asker.snapshot, asker.spark, watch, walk).read("upstream")
    return Described(asker.snapshot, triples, walk.partitions), read


def samples_above(asker: Asker, items: ItemNumbers, described: Described) -> tuple[Sample, ...]:
    """Return the samples that an answer from the lineage of ``items`` may pass through."""
    ends = (ItemNumbers(end) for end in (described.rows.src, described.rows.dst))
    return samples_passed(asker.snapshot, "upstream", items, *ends)


def _names(asker: Asker, graph: Derivations, places: I32 | None) -> tuple[str, ...] | None:
    """Return the names of the sources at ``places``.

    Returns None if ``places`` is None, or if one of the sources was erased.
    """
    if places is None:
        return None
    names = asker.snapshot.names.names(ItemNumbers(np.sort(graph.items(places)))).to_pylist()
    return None if None in names else tuple(sorted(names))
