"""The results of questions, as Python objects that notebooks show as tables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from provhouse.model import answer as found_answer
from provhouse.model.answer import Header, ItemHeader, MissingKeys, Read, TableColumns
from provhouse.model.operations import Weakest
from provhouse.model.question import Direction
from provhouse.output.result import Result
from provhouse.query import diff as found_diff
from provhouse.query import explain, find, path
from provhouse.query import modules as found_modules
from provhouse.query import operations as found_operations
from provhouse.query import records as found_records
from provhouse.query import subgraph as found_subgraph
from provhouse.query.cost import Estimate
from provhouse.query.diff import Side
from provhouse.query.generations import Generation
from provhouse.query.records import TableRecords
from provhouse.runtime.packages import package

from .html import html
from .rows import (
    FoundItem,
    Invocation,
    Item,
    OpCount,
    Operation,
    Part,
    Rows,
    TableCount,
    Triple,
    item_rows,
    triple_rows,
)

if TYPE_CHECKING:
    import networkx as nx


class Shown(ABC):
    """A result that a notebook shows with the same tables as a terminal."""

    @abstractmethod
    def _result(self) -> Result:
        """Return the result that commands print."""

    def _repr_html_(self) -> str:
        return html(self._result().text())


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The size of an answer by table, nearest table first, and by op, most frequent op first."""

    tables: Rows[TableCount]
    ops: Rows[OpCount]


@dataclass(frozen=True, kw_only=True)
class Answer(Shown, ItemHeader):
    """The lineage or impact of one item, as of one generation.

    ``items`` are ordered by depth, then name. ``triples`` are ordered by the depth of the near end
    (dst upstream, src downstream), then src, dst, op and attributes.

    >>> answer = warehouse.lineage("revenue/2026-03", tables=["orders"])
    >>> answer.items[0]
    Item(item='orders/17', table='orders', depth=2, set=None)
    >>> answer.complete, answer.hidden, answer.generation
    (True, 4, 1)
    """

    complete: bool
    items: Rows[Item]
    triples: Rows[Triple]
    read: Read
    """The amount of data that was read to find the answer."""
    truncated: str | None
    """The option that cut the answer short: ``limit``, ``depth`` or None."""
    hidden: int
    """The number of items found that are not shown because of a filter or a limit."""
    erased: int
    """The number of erased items found, before any filter. Erased items are never shown."""
    links: int
    """The number of triples found that lead from or to an erased item."""
    exactness: Weakest | None
    """The weakest exactness on the paths to the items; None if no op there has a declared one.

    It is ``unknown`` if only some of these ops have one.
    """
    exactness_triples: Mapping[str, int]
    """The number of triples on these paths by exactness, the strongest first."""
    missing_keys: MissingKeys | None
    """Keys of the filter ``where`` that no triple found has; None if each is in some triple."""
    versions: tuple[str, ...]
    """The names that were asked instead of ``item``: its newest version, or all, newest first."""
    counts: Counts | None
    """The counts of a summary, in which ``items`` and ``triples`` are empty; otherwise None."""
    column: str | None
    """The column that was asked for, as in ``report/AA.delay``; ``item`` is then the row."""
    columns: tuple[TableColumns, ...]
    """The part that each table has in the column: values, or only the choice of rows."""
    _found: found_answer.Answer = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.answer import AnswerResult

        return AnswerResult(self._found)

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """Return a graph with an edge from src to dst for each triple.

        Nodes have the attributes ``table`` and ``depth``, where the asked item has depth 0. Edges
        have ``op`` and ``attributes``. Raises Unavailable if networkx is missing.

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
    """The rows of the items of an answer, by table, with their columns."""

    tables: tuple[TableRecords, ...]
    more: int
    """The number of items whose rows were not read, because there are too many."""
    _found: found_records.Records = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.records import RecordsResult

        return RecordsResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Paths(Shown, Header):
    """One shortest path from ``source`` to ``target``, or all paths, following the data.

    The depth of an item is its distance from ``source``, which has 0.
    """

    source: str
    target: str
    every: bool
    """Whether these are all paths."""
    hops: int
    """The number of triples on a shortest path."""
    complete: bool
    items: Rows[Item]
    triples: Rows[Triple]
    read: Read
    erased: int
    """The number of erased items on the paths, which are not shown."""
    exactness: Weakest | None
    """The weakest exactness on the paths, as in ``Answer``."""
    exactness_triples: Mapping[str, int]
    """The number of triples on the paths by exactness, the strongest first."""
    _found: path.Paths = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.path import PathResult

        return PathResult(self._found)

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """Return a graph with an edge from src to dst for each triple, like ``Answer.to_networkx``.

        >>> graph = warehouse.path("prices/milk", "revenue/2026-03").to_networkx()
        >>> list(graph.nodes)
        ['prices/milk', 'orders/18', 'invoices/9', 'revenue/2026-03']
        """
        return _graph(self.items, self.triples)


@dataclass(frozen=True, kw_only=True)
class Finding(Shown):
    """The first items whose names match, ordered by name, and the number of all matches."""

    text: str
    anywhere: bool
    table: str | None
    generation: int
    time: str
    """When the generation was committed, in ISO 8601."""
    matches: int
    truncated: str | None
    """``limit`` if there are more matches than items."""
    items: Rows[FoundItem]
    seconds: float
    _found: find.Finding = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.finding import FindingResult

        return FindingResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Explanation(Shown, ItemHeader):
    """The data that each method would read for an answer, and the method that would be used."""

    sets: tuple[int, ...]
    """The ids of the sets that CSProv would read, in order, but at most 1,000."""
    methods: tuple[Estimate, ...]
    exactness: Weakest | None
    """The weakest exactness that any op of the generation has; None if none is declared."""
    _found: explain.Explanation = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.explanation import ExplanationResult

        return ExplanationResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Change:
    """The items and triples that only one of two answers has."""

    items: Rows[Item]
    triples: Rows[Triple]


@dataclass(frozen=True, kw_only=True)
class Diff(Shown):
    """The changes of an answer between two generations: what came, and what went."""

    item: str
    direction: Direction
    since: Side
    until: Side
    came: Change
    went: Change
    seconds: dict[str, float]
    _found: found_diff.Diff = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.diff import DiffResult

        return DiffResult(self._found)


@dataclass(frozen=True, kw_only=True)
class Subgraph(Shown, Header):
    """The items around an item, and the triples between them."""

    item: str
    ancestors: int
    descendants: int
    siblings: int
    """The number of other items that descendants were made from."""
    items: Rows[Part]
    triples: Rows[Triple]
    erased: int
    complete: bool
    read: Read
    _found: found_subgraph.Subgraph = field(repr=False, compare=False)

    def _result(self) -> Result:
        from provhouse.output.results.subgraph import SubgraphResult

        return SubgraphResult(self._found)


def answer(found: found_answer.Answer) -> Answer:
    """Return the public form of an answer."""
    counts = found.counts and Counts(
        tables=Rows(found.counts.tables, TableCount._make),
        ops=Rows(found.counts.ops, OpCount._make),
    )
    return Answer(**shown(Answer, found, **_rows(found), counts=counts))


def paths(found: path.Paths) -> Paths:
    """Return the public form of a path."""
    return Paths(**shown(Paths, found, **_rows(found)))


def subgraph(found: found_subgraph.Subgraph) -> Subgraph:
    """Return the public form of what is around an item."""
    items, triples = Rows(found.items, Part._make), triple_rows(found.triples)
    return Subgraph(**shown(Subgraph, found, items=items, triples=triples))


def finding(found: find.Finding) -> Finding:
    """Return the public form of a search result."""
    items = Rows(found.items, FoundItem._make)
    return Finding(**shown(Finding, found, items=items))


def explanation(found: explain.Explanation) -> Explanation:
    """Return the public form of an explanation."""
    sets = tuple(found.sets.tolist())
    return Explanation(**shown(Explanation, found, sets=sets))


def diff(found: found_diff.Diff) -> Diff:
    """Return the public form of a diff."""
    came, went = (
        Change(items=item_rows(change.items), triples=triple_rows(change.triples))
        for change in (found.came, found.went)
    )
    return Diff(**shown(Diff, found, came=came, went=went))


def generations(found: list[Generation]) -> Rows[Generation]:
    """Return generations as rows."""
    return Rows(pa.Table.from_pylist(list(map(asdict, found))), lambda row: Generation(*row))


def operations(found: found_operations.Operations) -> Rows[Operation]:
    """Return descriptions of ops as rows."""
    return Rows(found.operations, Operation._make)


def invocations(found: found_modules.Invocations) -> Rows[Invocation]:
    """Return the invocations of a module as rows."""
    return Rows(found.invocations, Invocation._make)


def _rows(found: found_answer.FoundRows) -> dict[str, object]:
    return {"items": item_rows(found.items), "triples": triple_rows(found.triples)}


def shown(kind: type[Any], found: object, **others: object) -> dict[str, Any]:
    """Return the fields of a public class: those that ``found`` has too, and ``others``."""
    known = vars(found)
    names = (each.name for each in fields(kind) if each.name in known)
    return {**{name: known[name] for name in names}, **others, "_found": found}


def _graph(items: Rows[Item], triples: Rows[Triple]) -> "nx.MultiDiGraph[str]":
    graph: nx.MultiDiGraph[str] = package("networkx").MultiDiGraph()
    for item in items:
        graph.add_node(item.item, table=item.table, depth=item.depth)
    for triple in triples:
        graph.add_edge(triple.src, triple.dst, op=triple.op, attributes=triple.attributes)
    return graph
