"""The results of questions, as Python objects that notebooks show as tables.

The public classes have the same fields as the internal results, but hold ``Rows`` instead of Arrow
tables.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, get_args, get_origin, get_type_hints

from provhouse.model import answer as found_answer
from provhouse.output.questions.asking import Asking
from provhouse.output.questions.items import (
    AskingDiff,
    AskingExplain,
    AskingFind,
    AskingLineage,
    AskingPath,
    AskingSubgraph,
)
from provhouse.output.results.graphs import PicturedResult
from provhouse.output.sections import Section
from provhouse.output.shown_result import ShownResult
from provhouse.pictures.drawing import Drawing
from provhouse.query import source_records as found_records
from provhouse.query.lineage import cost_estimates, path
from provhouse.query.lineage import diff as found_diff
from provhouse.query.lineage import subgraph as found_subgraph
from provhouse.query.listing import find
from provhouse.query.source_records import TableRecords
from provhouse.runtime.packages import package

from .html import Displayed
from .rows import FoundItem, Item, OpCount, Part, Rows, TableCount, Triple, rows_of

if TYPE_CHECKING:
    import networkx as nx

Public = TypeVar("Public")


class Shown(Displayed):
    """A result. A notebook and ``print`` show it as the same tables as a terminal."""

    @abstractmethod
    def _result(self) -> ShownResult:
        """Return the internal result, which commands print."""

    def _sections(self) -> Iterable[Section]:
        return self._result().text()


@dataclass(frozen=True, kw_only=True)
class Answered(Shown):
    """The result of a question."""

    _asking: ClassVar[type[Asking[Any]]]
    _found: Any = field(repr=False, compare=False)

    def _result(self) -> ShownResult:
        return self._asking.written(self._found)


@dataclass(frozen=True, kw_only=True)
class Drawn(Answered):
    """The result of a question, which can be drawn."""

    def draw(self) -> Drawing:
        """Return a picture, which a notebook shows. Raises UsageError for a summary.

        >>> warehouse.lineage("revenue/2026-03").draw()
        <Drawing: 7 boxes, 6 lines>
        """
        result = self._result()
        assert isinstance(result, PicturedResult)
        return Drawing(result.graph())


@dataclass(frozen=True, kw_only=True)
class Counts(found_answer.Counts):
    """The size of an answer by table, nearest table first, and by op, most frequent op first."""

    tables: Rows[TableCount]
    ops: Rows[OpCount]


@dataclass(frozen=True, kw_only=True)
class Answer(Drawn, found_answer.Answer):
    """The lineage or impact of one item, as of one generation.

    ``items`` are ordered by depth, then name. ``triples`` are ordered by the depth of the near end
    (dst upstream, src downstream), then src, dst, op and attributes.

    >>> answer = warehouse.lineage("revenue/2026-03", tables=["orders"])
    >>> answer.items[0]
    Item(item='orders/17', table='orders', depth=2, set=None)
    >>> answer.complete, answer.hidden, answer.generation
    (True, 4, 1)
    """

    _asking = AskingLineage
    items: Rows[Item]
    triples: Rows[Triple]
    counts: Counts | None = None
    """The counts of a summary, or None. With counts, ``items`` and ``triples`` are empty."""

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """Return a graph with an edge from src to dst for each triple.

        Nodes have the attributes ``table`` and ``depth``; the item that was asked about has depth
        0. Edges have ``op`` and ``attributes``. Raises Unavailable if networkx is missing.

        >>> graph = warehouse.lineage("revenue/2026-03").to_networkx()
        >>> sorted(graph.predecessors("invoices/9"))
        ['orders/17', 'orders/18']
        >>> graph.nodes["invoices/9"]
        {'table': 'invoices', 'depth': 1}
        """
        graph = _graph(self.items, self.triples)
        for name in self.versions or (self.item,):
            graph.add_node(name, table=self.table, depth=0)
        return graph


@dataclass(frozen=True, kw_only=True)
class ItemRecords(Shown):
    """The stored rows of an answer's items, by table, with all columns."""

    tables: tuple[TableRecords, ...]
    more: int
    """The number of items whose rows were not read because the answer has too many items."""
    _found: found_records.CapturedRecords = field(repr=False, compare=False)

    def _result(self) -> ShownResult:
        from provhouse.output.results.record_tables import RecordsResult

        return RecordsResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Paths(Drawn, path.Paths):
    """One shortest path from ``source`` to ``target``, or all paths, in the direction of the data.

    The depth of an item is its distance in hops from ``source``, whose depth is 0.
    """

    _asking = AskingPath
    items: Rows[Item]
    triples: Rows[Triple]

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """Return a graph with an edge from src to dst for each triple, like ``Answer.to_networkx``.

        >>> graph = warehouse.path("prices/milk", "revenue/2026-03").to_networkx()
        >>> list(graph.nodes)
        ['prices/milk', 'orders/18', 'invoices/9', 'revenue/2026-03']
        """
        return _graph(self.items, self.triples)


@dataclass(frozen=True, kw_only=True)
class Finding(Answered, find.Finding):
    """The first items with a matching name, ordered by name, and the number of all matches."""

    _asking = AskingFind
    items: Rows[FoundItem]


@dataclass(frozen=True, kw_only=True)
class Explanation(Answered, cost_estimates.Explanation):
    """The amount that each method would read for an answer, and the method that would be used."""

    _asking = AskingExplain


@dataclass(frozen=True, kw_only=True)
class Change(found_diff.Change):
    """The items and triples that are in only one of two answers."""

    items: Rows[Item]
    triples: Rows[Triple]


@dataclass(frozen=True, kw_only=True)
class Diff(Drawn, found_diff.Diff):
    """The items and triples that an answer gained and lost from one generation to another."""

    _asking = AskingDiff
    came: Change
    went: Change


@dataclass(frozen=True, kw_only=True)
class Subgraph(Drawn, found_subgraph.Subgraph):
    """The items around an item, and the triples between them."""

    _asking = AskingSubgraph
    items: Rows[Part]
    triples: Rows[Triple]


def public(kind: type[Public], found: object) -> Public:
    """Convert an internal result to the public class with the same fields."""
    hints = _hints(cast(Hashable, kind))
    values = {name: _public(hints[name], value) for name, value in vars(found).items()}
    return kind(**values, **({"_found": found} if issubclass(kind, Answered) else {}))


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def _public(kind: Any, value: Any) -> Any:
    if NoneType in get_args(kind):
        (kind, *_) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is Rows:
        return rows_of(get_args(kind)[0], value)
    if isinstance(kind, type) and is_dataclass(value) and kind is not type(value):
        return public(kind, value)
    return value


def _graph(items: Rows[Item], triples: Rows[Triple]) -> "nx.MultiDiGraph[str]":
    graph: nx.MultiDiGraph[str] = package("networkx").MultiDiGraph()
    for item in items:
        graph.add_node(item.item, table=item.table, depth=item.depth)
    for triple in triples:
        graph.add_edge(triple.src, triple.dst, op=triple.op, attributes=triple.attributes)
    return graph
