"""The graphs of results, from which pictures are drawn."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.pictures.picture_graph import FATES, DrawnGraph

from ..shown_result import ShownResult

if TYPE_CHECKING:
    import numpy.typing as npt

    from .level_view import Edges

_TEXT = pa.string()
_CALL = ("name", "run", "execution", "invocation")


class PicturedResult(ShownResult):
    """A result that can be drawn as a graph."""

    @abstractmethod
    def graph(self) -> DrawnGraph:
        """Return the nodes and edges to draw. Raises UsageError if this result has none."""


@dataclass(frozen=True)
class GraphPart:
    """Items and triples of a graph. ``count`` is the name of the column that counts triples."""

    items: pa.Table
    triples: pa.Table
    count: str = "triples"


def of_triples(
    title: str, notes: Iterable[str], parts: Sequence[GraphPart], asked: Mapping[str, str]
) -> DrawnGraph:
    """Return a graph with a node for each item, and an edge for each triple.

    ``asked`` maps each item that was asked about to its table. If there are several parts, as in a
    difference, the items of each part are also counted in a column of their own, which is named
    after the part's ``count``.
    """
    named = pa.array([*asked], _TEXT)
    columns = [named]
    for part in parts:
        columns += [part.items["item"], part.triples["src"], part.triples["dst"]]
    names, codes = _coded(columns)
    used, dense = np.unique(np.concatenate(codes), return_inverse=True)
    first, *rest = np.split(dense.reshape(-1), np.cumsum([len(each) for each in codes])[:-1])
    items, sources, targets = rest[::3], rest[1::3], rest[2::3]
    labels, given = _coded([pa.array([*asked.values()], _TEXT), *(p.items["table"] for p in parts)])
    tables = np.full(len(used), -1, np.int64)
    for places, table in zip([first, *items], given, strict=True):
        tables[places] = table
    nodes = {
        "kind": pa.array(["item"], _TEXT).take(pa.array(np.zeros(len(used), np.int64))),
        "name": names.take(pa.array(used)),
        "table": pa.DictionaryArray.from_arrays(pa.array(tables, mask=tables < 0), labels),
        "items": np.ones(len(used), np.int64),
    }
    weights = [part.count for part in parts]
    if len(parts) > 1:
        nodes |= {
            part.count: _marks(places, len(used)) for part, places in zip(parts, items, strict=True)
        }
    sizes = [len(each) for each in sources]
    edges = {
        "from": np.concatenate(sources),
        "to": np.concatenate(targets),
        "op": pa.chunked_array([part.triples["op"].cast(_TEXT).combine_chunks() for part in parts]),
    }
    for at, name in enumerate(weights):
        ones = [np.full(size, int(at == of), np.int64) for of, size in enumerate(sizes)]
        edges[name] = np.concatenate(ones)
    named_places = tuple(dict.fromkeys(first.tolist()))
    return DrawnGraph(title, tuple(notes), pa.table(nodes), pa.table(edges), named_places)


def _coded(columns: Sequence[pa.ChunkedArray]) -> "tuple[pa.Array, list[npt.NDArray[np.int64]]]":
    """Return one dictionary of all strings, and each column as codes of this dictionary."""
    coded = [_dictionary(each) for each in columns]
    chunks = pa.chunked_array(coded).unify_dictionaries().chunks
    indices = [np.asarray(each.indices.fill_null(-1)).astype(np.int64) for each in chunks]
    return chunks[0].dictionary, indices


def _dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    plain = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    return plain.cast(pa.dictionary(pa.int32(), _TEXT))


def _marks(places: "npt.NDArray[np.int64]", count: int) -> "npt.NDArray[np.int64]":
    marks = np.zeros(count, np.int64)
    marks[places] = 1
    return marks


def of_view(
    title: str,
    notes: Iterable[str],
    found: "Edges",
    asked: Sequence[int] = (),
    details: Mapping[str, str] | None = None,
) -> DrawnGraph:
    """Return the graph of a view. ``details`` contains a line of text for some items, by name."""
    nodes, edges = found.nodes, found.edges
    kinds = nodes["kind"]
    calls = (nodes[each] for each in _CALL)
    names = pc.binary_join_element_wise(*calls, " ", null_handling="skip")
    invocation = pc.equal(kinds, "invocation")
    none = pa.nulls(len(nodes), _TEXT)
    within = pc.if_else(
        pc.equal(kinds, "item"), nodes["table"], pc.if_else(invocation, nodes["module"], none)
    )
    counts = [name for name in ("came", "went", *FATES) if name in nodes.column_names]
    columns = {
        "kind": kinds,
        "name": names,
        "table": within,
        "items": nodes["items"] if "items" in nodes.column_names else _ones(kinds),
        **{name: nodes[name] for name in counts},
    }
    numbers = np.asarray(nodes["node"])
    order = np.argsort(numbers)
    ends = {
        end: order[np.searchsorted(numbers, np.asarray(edges[end]), sorter=order)]
        for end in ("from", "to")
    }
    weights = {name: edges[name] for name in edges.column_names[3:]}
    lines = {}
    if details:
        mine = pc.and_(pc.equal(kinds, "item"), pc.is_in(names, pa.array([*details], _TEXT)))
        lines = {at: details[names[at].as_py()] for at in np.flatnonzero(np.asarray(mine)).tolist()}
    drawn = pa.table({**ends, "op": edges["op"], **weights})
    return DrawnGraph(title, tuple(notes), pa.table(columns), drawn, tuple(asked), lines)


def _ones(kinds: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return 1 for each item, and 0 for nodes whose items are not counted."""
    return pc.equal(kinds, "item").cast(pa.int64())
