"""Graphs to draw: handmade, random, and with names that every format must escape."""

from collections.abc import Mapping, Sequence
from random import Random

import pyarrow as pa

from provhouse.pictures.picture_graph import DrawnGraph

Node = tuple[object, ...]
HOSTILE = (
    'a"b', "a`b", "`md`", "<script>alert(1)</script>", "&amp;", "#35;", "end", "subgraph x",
    "x;y", "%% c", "%%{init: {}}%%", "{x}", "[x]", "(x)", "|x|", "\\n", "\\", "$$x$$", "**b**",
    "a-->b", "1. x", "- x", "# x", "~~~", "é漢字😀", "tab\there", "nl\nx", "\u202eabc", "\x00",
    "\ufffe", "<br/>", "@x", "click n0", "style", "", "  ", "a'b", "http://x.y/z", "fa:fa-x",
    "]]>", "<!--", "-->", "}", '"];', "x" * 300,
)  # fmt: skip
"""Names with characters that are special in SVG, DOT, Mermaid or HTML."""


def drawn(
    nodes: Sequence[Node],
    edges: Sequence[Node],
    asked: Sequence[int] = (),
    *,
    counts: Sequence[str] = (),
    weights: Sequence[str] = ("triples",),
    details: Mapping[int, str] | None = None,
    title: str = "A picture",
) -> DrawnGraph:
    """Return a graph: nodes as (kind, name, table, items, counts), edges as (from, to, op, ...)."""
    return DrawnGraph(
        title,
        ("A note.",),
        _table(nodes, ("kind", "name", "table", "items", *counts), ("kind", "name", "table")),
        _table(edges, ("from", "to", "op", *weights), ("op",)),
        tuple(asked),
        details,
    )


def _table(rows: Sequence[Node], names: Sequence[str], texts: Sequence[str]) -> pa.Table:
    schema = pa.schema([(name, pa.string() if name in texts else pa.int64()) for name in names])
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.table([list(column) for column in columns], schema=schema)


def item(name: str, table: str | None = None) -> Node:
    """Return an item. If no table is given, the table is the beginning of the item's name."""
    return "item", name, name.partition("/")[0] if table is None else table, 1


def at_random(seed: int, items: int, tables: int, edges: int, cycles: bool = False) -> DrawnGraph:
    """Return a random graph. Without ``cycles``, edges lead from later items to earlier ones."""
    random = Random(seed)
    nodes = [item(f"t{random.randrange(tables)}/a long name of a record {n}") for n in range(items)]
    links: list[Node] = []
    for _ in range(edges):
        ends = random.randrange(items), random.randrange(items)
        source, target = ends if cycles else (max(ends), min(ends))
        if cycles or source != target:
            links.append((source, target, f"op {random.randrange(3)}", random.randint(1, 9)))
    return drawn(nodes, links, (0,))
