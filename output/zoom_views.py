"""Compute the views of a zoom answer: one view for each set of modules that may be folded.

The views are computed from the answer's classes. A class contains the items that the same folded
modules hide, and their number; see ``query/zoom/foldable.py``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pyarrow as pa

from provhouse.query.zoom.zoom_rows import EDGES, NODES

MOST_VIEWS = 32
"""If there are more combinations of folded modules than this, only some of them get a view."""


@dataclass(frozen=True)
class View:
    """A view in which the modules with the numbers ``folded`` are folded."""

    folded: frozenset[int]
    nodes: pa.Table
    edges: pa.Table


def views(classes: Mapping[str, Any], begin: frozenset[int]) -> Iterator[View]:
    """Yield the views of an answer; ``classes`` is the field ``foldable`` of ``schemas/zoom.json``.

    If the modules have more than ``MOST_VIEWS`` combinations, yield only these views: the modules
    ``begin`` folded, all modules folded, all modules but one folded (for each module), and no
    module folded.
    """
    for folded in _choices(len(classes["modules"]), begin):
        yield view_of(classes, folded)


def _choices(modules: int, begin: frozenset[int]) -> list[frozenset[int]]:
    every = frozenset(range(modules))
    if 2**modules <= MOST_VIEWS:
        return [
            frozenset(some) for size in range(modules + 1) for some in combinations(every, size)
        ]
    return [*dict.fromkeys([begin, every, *(every - {one} for one in every), frozenset()])]


def view_of(classes: Mapping[str, Any], folded: frozenset[int]) -> View:
    """Return the view in which the modules with the numbers ``folded`` are folded."""
    nodes, items = classes["nodes"], classes["items"]
    number = {name: at for at, name in enumerate(classes["modules"])}
    inside = {at for at, node in enumerate(nodes) if number.get(node["module"]) in folded}
    shown: Counter[int] = Counter()
    hidden = []
    for each in items:
        hidden.append(each["hidden_by"] is not None and folded.issuperset(each["hidden_by"]))
        node = each["made_in"] if hidden[-1] else each["node"]
        if node is not None:
            shown[node] += each["items"]
    edges: Counter[tuple[int, int, str]] = Counter()
    for each in classes["triples"]:
        source, target, by = each["from"], each["to"], each["node"]
        start, end, op = items[source]["node"], items[target]["node"], each["op"]
        if by not in inside:
            edges[start, end, op] += each["triples"]
            continue
        shown[by] += 0
        if not (hidden[source] or each["own"]):
            edges[start, by, op] += each["triples"]
        if not hidden[target]:
            edges[by, end, op] += each["triples"]
    rows = [{**nodes[at], "node": at, "items": shown[at]} for at in sorted(shown)]
    order = sorted(edges.items(), key=lambda each: (-each[1], each[0]))
    lines = [dict(zip(EDGES.names, (*ends, count), strict=True)) for ends, count in order]
    return View(folded, pa.Table.from_pylist(rows, NODES), pa.Table.from_pylist(lines, EDGES))
