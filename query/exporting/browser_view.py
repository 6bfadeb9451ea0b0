"""Write one answer into Neo4j, as items next to their sets, so that Neo4j Browser can show it.

A view is bounded: an answer of more than ``MOST_ITEMS`` items is grouped by table and op. Views are
copies for people to look at; no question reads them. They are removed after a day.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.commit.graph_rows import rows_without_nodes
from provhouse.cypher.guide import url, view_query
from provhouse.cypher.view_mark import mark_names
from provhouse.model.answer import Answer
from provhouse.model.arrays import I64, ItemNumbers, SetIds, unique
from provhouse.model.columns import DEPTH, DST, ITEM, OP, SET, SRC, TABLE
from provhouse.model.operations import Weakest
from provhouse.model.question import Question
from provhouse.model.samples import Sample
from provhouse.pictures.captions import captions
from provhouse.pictures.picture_graph import Box

from ..lineage.ask import Asker

MOST_ITEMS = 300
"""The largest number of items that get nodes of their own, and the largest number of groups."""
MOST_LINKS = 2_000
"""The largest number of relationships between the nodes of a view."""
MOST_SETS = 10
"""The largest number of sets that a node is linked to: the sets with the most of its items."""
CAPTION = 130
"""The largest width of a name in a caption, as ``captions`` measures it."""
LIFETIME = timedelta(days=1)
TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class Neo4jView:
    """An answer that was written into Neo4j, and the query and URL that show it."""

    item: str
    direction: str
    generation: int
    time: str
    items: int
    """The number of items in the answer, except the asked item."""
    grouped: bool
    nodes: int
    relationships: int
    left_out: int
    """The number of relationships that were left out because there are too many."""
    expires: str
    query: str
    """A Cypher query that shows the view in Neo4j Browser."""
    sets_query: str
    """A Cypher query that also shows the sets that contain the items."""
    url: str
    """The URL that opens Browser with the query in its editor; empty if Neo4j is not managed."""
    exactness: Weakest | None = None
    """The weakest exactness on the paths of the answer, as in ``Answer``."""
    exactness_triples: dict[str, int] = field(default_factory=dict)
    """The number of triples on the answer's paths, by exactness. It includes triples left out of
    the view.
    """
    samples: tuple[Sample, ...] = ()
    """The samples that the answer may pass through, as in ``Answer``."""


def write_view(asker: Asker, question: Question) -> Neo4jView:
    """Write the answer to a question into Neo4j, in place of an earlier view of the same question.

    The answer includes the sets of its items even if the question does not ask for them. If a set
    of the current generation does not have a node, a node is created. Raises the errors of
    ``Asker.answer``.
    """
    graph = asker.graph  # from now on, no erasure can delete the data of a managed server
    asked = f"{question.item}\0{question.direction}\0{question.depth}"
    view = hashlib.sha256(asked.encode()).hexdigest()[:12]
    expires = (datetime.now(UTC) + LIFETIME).strftime(TIME)
    while True:
        answer, nodes, links, erased = _marked(asker, replace(question, sets=True))
        if graph.generation() == answer.generation:
            _add_sets(asker, nodes)
        graph.write_view(view, expires, nodes, links.slice(0, MOST_LINKS).to_pylist())
        if asker.snapshot.names.erased is erased:
            break
        graph.remove_view(view)  # an erasure may have removed views before this one was written
    query = view_query(graph.warehouse, view)
    sets_query = view_query(graph.warehouse, view, sets=True)
    return Neo4jView(
        item=answer.item,
        direction=answer.direction,
        generation=answer.generation,
        time=answer.time,
        items=answer.items.num_rows,
        grouped=len(nodes) - 1 < answer.items.num_rows,
        nodes=len(nodes),
        relationships=min(links.num_rows, MOST_LINKS),
        left_out=max(links.num_rows - MOST_LINKS, 0),
        expires=expires,
        query=query,
        sets_query=sets_query,
        url=url(graph.address, query),
        exactness=answer.exactness,
        exactness_triples=answer.exactness_triples,
        samples=answer.samples,
    )


def _add_sets(asker: Asker, nodes: list[dict[str, Any]]) -> None:
    """Create nodes for the sets of a view for which no ingest has written a node."""
    ids = np.array([number for node in nodes for number in node["sets"]], np.int64)
    for rows in rows_without_nodes(asker.snapshot, SetIds(unique(ids))):
        asker.graph.write("view_sets", rows)


def _marked(
    asker: Asker, question: Question
) -> tuple[Answer, list[dict[str, object]], pa.Table, ItemNumbers]:
    """Return an answer with its nodes and links, after recording the items that the nodes name.

    The last returned value has the erased items that were known before the question was answered.
    If an item was erased meanwhile, the question is answered again, because the erasure may have
    read the record before it contained these items.
    """
    names = asker.snapshot.names
    while True:
        erased = names.erased
        answer = asker.answer(question)
        nodes, links = view_rows(answer)
        shown = [*answer.versions, *(str(node["name"]) for node in nodes)]
        texts = pa.array(shown, pa.string())
        numbers = {int(number) for number in names.locate(texts) if number >= 0}
        if home := asker.graph.home:
            mark_names(home, asker.graph.warehouse, asker.snapshot.commit.base, numbers)
        if names.erased is erased:
            return answer, nodes, links, erased


def view_rows(answer: Answer) -> tuple[list[dict[str, object]], pa.Table]:
    """Return the nodes of a view, and all its links; links with the most triples come first.

    The node of the asked item has the key 0.
    """
    items = answer.items.combine_chunks()
    coded = items[ITEM].combine_chunks()
    names = coded.dictionary
    asked = pc.index(names, pa.scalar(answer.item, names.type)).as_py()
    codes = np.asarray(coded.indices).astype(np.int64)
    groups = np.zeros(len(names), np.int64)  # the key of each item's node
    if items.num_rows <= MOST_ITEMS:
        groups[codes] = np.arange(1, len(codes) + 1)
        labels = [(name, "") for name in items[TABLE].to_pylist()]
    else:
        keys, labels = _grouped(answer, codes)
        groups[codes] = keys
    if asked >= 0:
        groups[asked] = 0  # on a cycle, the item is among the items of its own answer
    nodes = [_asked(answer), *_nodes(items, groups[codes], labels)]
    return _captioned(nodes), _links(answer.triples, groups)


def _captioned(nodes: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Return ``nodes`` with distinct captions: of an item, its short name and then its table.

    Browser cuts a caption after about 30 characters, so that of a group begins with the table.
    """
    boxes = [
        Box("item" if node["items"] == 1 else "others", str(node["name"]), node["table"],
            node["items"], asked=node["key"] == 0)
        for node in nodes
    ]  # fmt: skip
    named = zip(nodes, boxes, captions(boxes, CAPTION), strict=True)
    return [
        {**node, "caption": " ".join(("".join(text.title), *text.below))
         if box.kind == "item" else _of_group(node)}
        for node, box, text in named
    ]  # fmt: skip


def _of_group(node: dict[str, Any]) -> str:
    return f"{node['table'] or 'others'}: {node['items']:,} {node['op']}".strip()


def _asked(answer: Answer) -> dict[str, object]:
    return {
        "key": 0, "name": answer.item, "table": answer.table, "op": "", "items": 1, "depth": 0,
        "sets": [answer.set_id], "exactness": answer.exactness,
    }  # fmt: skip


def _grouped(answer: Answer, codes: I64) -> tuple[I64, list[tuple[str, str]]]:
    """Return the key of each item's group, and the table and op of each group in order of keys.

    The op of an item comes from the first triple that leads to the item. Keys begin at 1. If there
    are more groups than ``MOST_ITEMS``, the smallest groups become one group without table and op,
    which has the last key.
    """
    far = SRC if answer.direction == "upstream" else DST
    ends = np.asarray(answer.triples[far].combine_chunks().indices).astype(np.int64)
    reached, first = np.unique(ends, return_index=True)
    at = np.minimum(np.searchsorted(reached, codes), max(len(reached) - 1, 0))
    ops = answer.triples[OP].combine_chunks().dictionary_encode()
    tables = answer.items[TABLE].combine_chunks()
    op_codes = np.asarray(ops.indices)[first[at]].astype(np.int64)
    table_codes = np.asarray(tables.indices).astype(np.int64)
    kinds, keys, counts = np.unique(
        table_codes * len(ops.dictionary) + op_codes, return_inverse=True, return_counts=True
    )
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(kinds), np.int64)
    rank[order] = np.arange(1, len(kinds) + 1)
    shown = order[:MOST_ITEMS]
    labels = [
        (str(tables.dictionary[int(kind) // len(ops.dictionary)]),
         str(ops.dictionary[int(kind) % len(ops.dictionary)]))
        for kind in kinds[shown]
    ]  # fmt: skip
    if len(kinds) > MOST_ITEMS:
        labels[-1] = ("", "")
    return np.minimum(rank[keys], len(labels)), labels


def _nodes(
    items: pa.Table, keys: I64, labels: list[tuple[str, str]]
) -> Iterator[dict[str, object]]:
    """Yield the nodes for all keys except 0. A node for a single item has the item's name."""
    order = np.argsort(keys, kind="stable")
    bounds = np.searchsorted(keys[order], np.arange(1, len(labels) + 2))
    sets, depths = np.asarray(items[SET]), np.asarray(items[DEPTH])
    for key, (table, op) in enumerate(labels, 1):
        rows = order[bounds[key - 1] : bounds[key]]
        if not len(rows):  # the asked item, on a cycle
            continue
        linked = [number for number, _ in Counter(sets[rows].tolist()).most_common(MOST_SETS)]
        by = f" by {op}" if op else ""
        name = items[ITEM][int(rows[0])].as_py() if len(rows) == 1 else (
            f"{len(rows):,} items of {table or 'other tables'}{by}"
        )  # fmt: skip
        yield {
            "key": key, "name": name, "table": table, "op": op, "items": len(rows),
            "depth": int(depths[rows].min()), "sets": linked,
        }  # fmt: skip


def _links(triples: pa.Table, groups: I64) -> pa.Table:
    """Return the links between nodes, with op and number of triples, the largest first."""
    ends = {end: groups[np.asarray(triples[end].combine_chunks().indices)] for end in (DST, SRC)}
    counts = pa.table({**ends, OP: triples[OP]}).group_by([DST, SRC, OP]).aggregate(
        [([], "count_all")]
    )  # fmt: skip
    return counts.rename_columns({"count_all": "triples"}).sort_by(
        [("triples", "descending"), (DST, "ascending"), (SRC, "ascending"), (OP, "ascending")]
    )
