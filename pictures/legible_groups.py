"""Group a graph of any size until it is legible: at most 60 boxes, and at most 120 lines.

The asked nodes keep boxes of their own. Of all other nodes, the largest tables are grouped first:
all items of such a table become one box, which shows their number. An item of a small table thus
stays visible next to a table of a million items. The counts include every item and every triple.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .picture_graph import OTHERS, Box, Boxes, DrawnGraph, Line

I64 = npt.NDArray[np.int64]
MOST_BOXES = 60
MOST_LINES = 120
"""The maximum number of pairs of boxes that are linked by lines."""
MOST_ASKED = 12
"""The maximum number of asked nodes that have boxes of their own."""
_MEMBERS = ("item", "invocation")
"""The kinds of nodes that are grouped by their table or module."""


def grouped(graph: DrawnGraph) -> Boxes:
    """Return the boxes and lines of a graph. Lines with the most triples come first."""
    families = _families(graph)
    of = _boxes_of(families)
    lines = _lines(graph, of)
    _, first = np.unique(of, return_index=True)
    family = families.of[first]
    while len(_pairs(lines)) > MOST_LINES and (into := _one_grouped(family)) is not None:
        lines, of = _merged(lines, into), into[of]
        family = family[np.unique(into, return_index=True)[1]]
    kept, left = _strongest(lines)
    more = (f"{left:,} lines with few triples are not shown.",) if left else ()
    boxes = tuple(_boxes(graph, families, of))
    return Boxes(graph.title, (*graph.notes, *more), boxes, tuple(kept))


@dataclass(frozen=True)
class _Families:
    """Families of nodes; the nodes of one family may be grouped with each other.

    Each asked node is a family of its own, and so is each node that is a table, a module or a set.
    The families of asked nodes have the lowest numbers.
    """

    of: I64
    """The family of each node."""
    sizes: I64
    """The number of nodes of each family."""
    items: I64
    """The number of items of each family."""
    asked: int


def _families(graph: DrawnGraph) -> _Families:
    nodes = graph.nodes
    asked = np.asarray(graph.asked[:MOST_ASKED], np.int64)
    kinds, tables = (_codes(nodes[name]) for name in ("kind", "table"))
    of = kinds * (int(tables.max(initial=0)) + 1) + tables
    names = nodes["kind"].combine_chunks()
    alone = ~np.isin(np.asarray(names.cast(pa.string())), _MEMBERS) if len(nodes) else np.empty(0)
    of[alone.astype(bool)] = int(of.max(initial=0)) + 1 + np.arange(int(alone.sum()))
    of += len(asked)
    of[asked] = np.arange(len(asked))
    _, dense, sizes = np.unique(of, return_inverse=True, return_counts=True)
    of = dense.reshape(-1)
    items = np.bincount(of, np.asarray(nodes["items"].fill_null(0)), len(sizes)).astype(np.int64)
    return _Families(of, sizes, items, len(asked))


def _codes(column: pa.ChunkedArray) -> I64:
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    return np.asarray(coded.indices.cast(pa.int64()).fill_null(-1)) + 1


def _boxes_of(families: _Families) -> I64:
    """Return the box number of each node; boxes are numbered in the order of their first nodes."""
    sizes = families.sizes
    order = families.asked + np.argsort(-sizes[families.asked :], kind="stable")
    total, whole = int(sizes.sum()), np.zeros(len(sizes), bool)
    for family in order.tolist():
        if total <= MOST_BOXES or sizes[family] == 1:
            break
        whole[family] = True
        total -= int(sizes[family]) - 1
    of = np.where(whole[families.of], families.of, len(sizes) + np.arange(len(families.of)))
    if total > MOST_BOXES:
        order = families.asked + np.argsort(-families.items[families.asked :], kind="stable")
        rest = order[MOST_BOXES - families.asked - 1 :]
        of[np.isin(families.of, rest)] = -1
    return _numbered(of)


def _one_grouped(family: I64) -> I64 | None:
    """Return the new number of each box after the boxes of the largest family became one box."""
    sizes = np.bincount(family)
    if sizes.max(initial=0) < 2:
        return None
    at = np.flatnonzero(family == int(np.argmax(sizes)))
    of = np.arange(len(family))
    of[at] = at[0]
    return _numbered(of)


def _numbered(of: I64) -> I64:
    _, first, dense = np.unique(of, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    numbered: I64 = rank[dense.reshape(-1)]
    return numbered


def _lines(graph: DrawnGraph, of: I64) -> list[Line]:
    ends = [of[np.asarray(graph.edges[end])] for end in ("from", "to")]
    ops = graph.edges["op"].combine_chunks()
    coded = ops if pa.types.is_dictionary(ops.type) else ops.dictionary_encode()
    names = ["from", "to", "op", *graph.weights]
    columns = [*ends, coded.indices, *(graph.edges[name] for name in graph.weights)]
    summed = pa.table(columns, names=names).group_by(names[:3], use_threads=False).aggregate(
        [(name, "sum") for name in graph.weights]
    )  # fmt: skip
    texts = coded.dictionary.cast(pa.string()).to_pylist()
    lines = (
        Line(row["from"], row["to"], "" if row["op"] is None else texts[row["op"]] or "",
             {name: row[f"{name}_sum"] for name in graph.weights})
        for row in summed.to_pylist()
    )  # fmt: skip
    return _ordered(lines)


def _merged(lines: Iterable[Line], into: I64) -> list[Line]:
    """Return the lines after boxes were merged; ``into`` has the new number of each box."""
    sums: dict[tuple[int, int, str], Counter[str]] = {}
    for line in lines:
        key = int(into[line.source]), int(into[line.target]), line.op
        sums.setdefault(key, Counter()).update(line.counts)
    return _ordered(Line(*key, dict(counts)) for key, counts in sums.items())


def _ordered(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: (-line.triples, line.source, line.target, line.op))


def _pairs(lines: Sequence[Line]) -> dict[tuple[int, int], int]:
    pairs: dict[tuple[int, int], int] = {}
    for line in lines:
        ends = line.source, line.target
        pairs[ends] = pairs.get(ends, 0) + line.triples
    return pairs


def _strongest(lines: Sequence[Line]) -> tuple[list[Line], int]:
    """Return the lines between the pairs with the most triples, and the number of other lines."""
    pairs = _pairs(lines)
    kept = set(sorted(pairs, key=lambda ends: (-pairs[ends], ends))[:MOST_LINES])
    shown = [line for line in lines if (line.source, line.target) in kept]
    return shown, len(lines) - len(shown)


def _boxes(graph: DrawnGraph, families: _Families, of: I64) -> Iterator[Box]:
    _, first, members = np.unique(of, return_index=True, return_counts=True)
    sums = {
        name: np.bincount(of, np.asarray(graph.nodes[name].fill_null(0)), len(first))
        for name in ("items", *graph.counts)
    }
    rows = graph.nodes.select(["kind", "name", "table"]).take(pa.array(first)).to_pylist()
    several = _mixed(families, of, first)
    for at, (row, place) in enumerate(zip(rows, first.tolist(), strict=True)):
        counts = {name: int(sums[name][at]) for name in graph.counts}
        alone = members[at] == 1
        yield Box(
            kind=OTHERS if several[at] else row["kind"],
            name=row["name"] or "" if alone else "",
            table=None if several[at] else row["table"],
            items=int(sums["items"][at]),
            members=int(members[at]),
            asked=int(families.of[place]) < families.asked,
            counts=_nonzero(counts),
            detail=(graph.details or {}).get(place, "") if alone else "",
        )


def _mixed(families: _Families, of: I64, first: I64) -> npt.NDArray[np.bool_]:
    """Return for each box whether it represents nodes of several families."""
    mixed = np.zeros(len(first), bool)
    mixed[of[families.of != families.of[first][of]]] = True
    return mixed


def _nonzero(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}
