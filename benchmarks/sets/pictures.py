"""Make pictures of how components are cut into sets.

A picture shows groups of tables whose items share sets.
"""

from collections.abc import Iterator, Sequence
from typing import TypedDict

import numpy as np

from benchmarks.sets.cuts import Large, read_upstream
from provhouse.model.arrays import I32, I64
from provhouse.sets.components import dense, weak_components
from provhouse.sets.depths import depths
from provhouse.sets.distinct import dense_values, distinct_pairs


class Group(TypedDict):
    """A group of tables whose derivations from each other are mostly within sets.

    ``tables`` has the number of items of each table. ``sets`` is the number of sets of the group.
    ``sets_read`` and ``triples_read`` are means over questions upstream.
    """

    tables: dict[str, int]
    items: int
    sets: int
    sets_read: float
    triples_read: float


class Picture(TypedDict):
    """The cut of one component: its groups of tables in order, and the derivations between tables.

    A derivation is a pair of a table and another table that derives from it.
    """

    items: int
    triples: int
    groups: list[Group]
    derivations: list[tuple[str, str]]


WITHIN = 0.99
"""Two tables are in one group if at least this share of the triples between them is in sets."""


def drawn(graph: Large, label: I32, names: Sequence[str], asked: I64) -> Iterator[Picture]:
    """Yield a picture of each component, the largest first. ``names`` are the tables' names."""
    sizes = np.bincount(graph.component)
    for component in np.argsort(-sizes, kind="stable").tolist():
        chosen = graph.component == component
        place = np.cumsum(chosen, dtype=np.int32) - np.int32(1)
        inside = chosen[graph.src]
        used = np.unique(graph.table[chosen])
        one = Large(
            place[graph.src[inside]],
            place[graph.dst[inside]],
            dense_values(graph.table[chosen]),
            np.zeros(int(sizes[component]), np.int32),
        )
        sets = dense_values(label[chosen])
        yield _picture(one, sets, [names[table] for table in used], place[asked[chosen[asked]]])


def _picture(graph: Large, label: I32, names: Sequence[str], asked: I64) -> Picture:
    group = _groups(graph, label, len(names))
    of_set = np.zeros(int(label.max()) + 1, np.int32)
    of_set[label] = group[graph.table]
    items = np.bincount(graph.table)
    own = np.bincount(label[graph.dst], minlength=len(of_set))

    def mean(weight: I64) -> float:
        return round(float(read_upstream(graph, label, asked, weight).mean()), 1)

    groups: list[Group] = []
    for number in range(int(group.max()) + 1):
        mine, tables = of_set == number, np.flatnonzero(group == number)
        groups.append(
            {
                "tables": {
                    names[t]: int(items[t]) for t in np.flatnonzero(group == number).tolist()
                },
                "items": int(items[tables].sum()),
                "sets": int(mine.sum()),
                "sets_read": mean(mine.astype(np.int64)),
                "triples_read": mean(own * mine),
            }
        )
    pairs = zip(*_derivations(graph), strict=True)
    return {
        "items": graph.items,
        "triples": len(graph.src),
        "groups": groups,
        "derivations": [(names[one], names[other]) for one, other in pairs],
    }


def _derivations(graph: Large) -> tuple[I32, I32]:
    """Return the distinct pairs of a table and another table that derives from it."""
    return distinct_pairs(graph.table[graph.src], graph.table[graph.dst])


def _groups(graph: Large, label: I32, tables: int) -> I32:
    """Return the number of each table's group.

    A group has a greater number than each group that it derives from.
    """
    code = graph.table[graph.src].astype(np.int64) * tables + graph.table[graph.dst]
    every = np.bincount(code, minlength=tables**2)
    within = np.bincount(code, label[graph.src] == label[graph.dst], tables**2)
    together = np.flatnonzero((every > 0) & (within >= WITHIN * every))
    found, count = dense(weak_components(tables, [np.divmod(together, tables)]))
    one, other = distinct_pairs(*(found[end] for end in _derivations(graph)))
    rank = np.argsort(np.argsort(depths(count, one, other), kind="stable"))
    return rank[found].astype(np.int32)
