"""The questions that Python programs can ask a warehouse."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Self, Unpack

import pyarrow as pa

from provhouse.model.question import AsOf, Direction, Method
from provhouse.model.semiring import Aggregates, Semiring
from provhouse.model.zoom import Level
from provhouse.output.questions.derivation_questions import (
    AskingDepends,
    AskingEvaluate,
    AskingWhatIf,
    AskingWhatIfEach,
    AskingWhy,
    AskingWhyChanged,
)
from provhouse.output.questions.items import (
    AskingDiff,
    AskingExplain,
    AskingFind,
    AskingLineage,
    AskingOrigins,
    AskingPath,
    AskingRecord,
    AskingSubgraph,
)
from provhouse.output.questions.levels import AskingZoom, AskingZoomWhatIf
from provhouse.output.questions.lists import (
    AskingCatalogue,
    AskingGenerations,
    AskingInvocations,
    AskingModules,
    AskingOps,
    AskingValues,
)
from provhouse.output.results.zoomed_what_if import ZoomedWhatIfResult
from provhouse.query.catalogue import Catalogue
from provhouse.query.exporting.values import Values
from provhouse.query.item_record import ItemRecord
from provhouse.query.lineage.origins import Origins
from provhouse.query.listing.generations import Generation
from provhouse.store.tables.modules import Module

from .consequences import Dependency, Evaluation, WhatIf, WhatIfEach, Why, WhyChanged
from .filters import Filters, question_of
from .results import Answer, Diff, Explanation, Finding, Paths, Subgraph, public
from .revised import Revised
from .rows import Invocation, Operation, Rows, rows_of
from .views import Views, deletion_of


class Reader(Views, Revised):
    """A warehouse that answers questions; use it in a ``with`` statement.

    Every result names the generation that it comes from.
    """

    @abstractmethod
    def close(self) -> None:
        """Release everything that questions use."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lineage(self, item: str, **filters: Unpack[Filters]) -> Answer:
        """Return everything that an item was derived from, or the part that the filters keep.

        The filters are ``depth``, ``through``, ``tables``, ``ops``, ``where``, ``ends``, ``limit``,
        ``summary``, ``sets``, ``as_of`` and ``method``; ``docs/questions.md`` explains them. Raises
        NotFound if the item is not stored, and UsageError for an unknown filter or table.

        >>> answer = warehouse.lineage("revenue/2026-03", depth=1)
        >>> for item in answer.items:
        ...     print(item.item, item.depth)
        invoices/10 1
        invoices/9 1
        >>> answer.triples[1]
        Triple(src='invoices/9', dst='revenue/2026-03', op='sum up', attributes={'by': 'nightly'})
        """
        asked = AskingLineage(question_of(item, "upstream", filters))
        return public(Answer, self.ask(asked))

    def impact(self, item: str, **filters: Unpack[Filters]) -> Answer:
        """Return everything that was derived from an item, or the part that the filters keep.

        The filters and errors are the same as for ``lineage``.

        >>> [item.item for item in warehouse.impact("prices/milk", tables=["revenue"]).items]
        ['revenue/2026-03']
        """
        asked = AskingLineage(question_of(item, "downstream", filters))
        return public(Answer, self.ask(asked))

    def path(
        self, source: str, target: str, *, every: bool = False, as_of: AsOf | None = None
    ) -> Paths:
        """Return one shortest path from ``source`` to ``target``, or all paths if ``every``.

        A path follows the data. ``as_of`` is the number of an earlier generation, or a time in ISO
        8601. Raises NotFound if an item is not stored, or if no path leads from ``source`` to
        ``target``.

        >>> path = warehouse.path("prices/milk", "revenue/2026-03")
        >>> path.hops, [triple.op for triple in path.triples]
        (3, ['price', 'bill', 'sum up'])
        """
        return public(Paths, self.ask(AskingPath(source, target, every, as_of)))

    def subgraph(self, item: str, *, as_of: AsOf | None = None) -> Subgraph:
        """Return all ancestors and descendants of an item, and the siblings of its descendants.

        A sibling is an item that a descendant was also made from, but that is neither an ancestor
        nor a descendant. Raises NotFound if the item is not stored.

        >>> found = warehouse.subgraph("orders/18")
        >>> [(item.item, item.part) for item in found.items if item.part == "sibling"]
        [('invoices/10', 'sibling'), ('orders/17', 'sibling')]
        """
        return public(Subgraph, self.ask(AskingSubgraph(item, as_of)))

    def origins(self, item: str, *, limit: int = 5, as_of: AsOf | None = None) -> Origins:
        """Return the sources of an item by table, with up to ``limit`` names per table.

        A source is an item that is derived from no other item. Raises NotFound if the item is not
        stored.

        >>> [(row.table, row.items) for row in warehouse.origins("revenue/2026-03").tables]
        [('invoices', 1), ('prices', 2)]
        """
        return self.ask(AskingOrigins(item, limit, as_of))

    def find(
        self, text: str, *, anywhere: bool = False, table: str | None = None, limit: int = 20
    ) -> Finding:
        """Return the first ``limit`` items, in order of name, whose names begin with ``text``.

        With ``anywhere``, return items whose names contain ``text`` anywhere. With ``table``, only
        items of this table are found. Raises UsageError if the table has no items.

        >>> found = warehouse.find("orders/")
        >>> found.matches, [item.item for item in found.items]
        (2, ['orders/17', 'orders/18'])
        """
        return public(Finding, self.ask(AskingFind(text, anywhere, table, limit)))

    def record(self, item: str, *, as_of: AsOf | None = None) -> ItemRecord:
        """Return the record of an item: the values of its columns, read from a file.

        Only files that captured jobs have read or written contain records. On a server, this
        question needs the role ``admin``. Raises NotFound if the item is not stored.

        >>> warehouse.record("orders/17").values
        {}
        """
        return self.ask(AskingRecord(item, as_of))

    def explain(
        self,
        item: str,
        direction: Direction = "upstream",
        *,
        method: Method = "auto",
        depth: int | None = None,
        as_of: AsOf | None = None,
    ) -> Explanation:
        """Return how much each method would read for an answer, and how long that would take.

        No triples are read. Raises NotFound if the item is not stored.

        >>> plan = warehouse.explain("revenue/2026-03")
        >>> plan.method
        'csprov'
        >>> {one.method: one.read.triples for one in plan.methods}
        {'csprov': 6, 'ccprov': 6, 'rq': 6}
        """
        asked = AskingExplain(item, direction, method, depth, as_of)
        return public(Explanation, self.ask(asked))

    def diff(
        self,
        item: str,
        since: AsOf,
        until: AsOf | None = None,
        *,
        direction: Direction = "upstream",
    ) -> Diff:
        """Return how the lineage or impact of an item changed between two generations.

        ``since`` and ``until`` are generation numbers, or times in ISO 8601; None means the current
        generation. Raises NotFound if neither generation has the item.

        >>> change = warehouse.diff("revenue/2026-03", since=1)
        >>> len(change.came.items), len(change.went.items)
        (0, 0)
        """
        asked = AskingDiff(item, direction, until=until, since=since)
        return public(Diff, self.ask(asked))

    def what_if(
        self,
        *delete: str,
        tables: Sequence[str] = (),
        where: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        ops: Sequence[str] = (),
        files: Sequence[str] = (),
        runs: Sequence[str] = (),
        summary: bool = False,
        as_of: AsOf | None = None,
    ) -> WhatIf:
        """Return what would happen if some items and triples did not exist.

        ``delete`` are items. ``tables`` deletes all items of the named tables, or with ``where``
        only the items that have a triple with these attributes. ``ops``, ``files`` and ``runs``
        delete all triples of the named operations, files and runs. ``summary`` returns counts only.
        ``docs/what-if.md`` explains the fates. Raises NotFound if a name is not stored, and
        UsageError if nothing is named.

        >>> found = warehouse.what_if("orders/18")
        >>> [(item.item, item.fate) for item in found.items]
        [('invoices/9', 'undecided'), ('revenue/2026-03', 'undecided')]
        """
        deletion = deletion_of(delete, tables, where, ops, files, runs)
        asked = AskingWhatIf(**vars(deletion), as_of=as_of, summary=summary)
        found = public(WhatIf, self.ask(asked))
        shown = AskingZoomWhatIf(**vars(deletion), as_of=found.generation, zoom="record")
        return replace(found, _graph=lambda: ZoomedWhatIfResult(self.ask(shown)).graph())

    def what_if_each(self, item: str, *, limit: int = 100, as_of: AsOf | None = None) -> WhatIfEach:
        """Return the values that the aggregates of an item would have without each input in turn.

        Up to ``limit`` inputs are returned, the largest change first. Raises NotFound if the item
        is not stored.

        >>> len(warehouse.what_if_each("revenue/2026-03").inputs)
        0
        """
        return public(WhatIfEach, self.ask(AskingWhatIfEach(item, limit, as_of)))

    def depends(self, item: str, on: str, *, as_of: AsOf | None = None) -> Dependency:
        """Return whether an item would exist without another one.

        Raises NotFound if either is not stored.

        >>> warehouse.depends("revenue/2026-03", "orders/18").exists
        'undecided'
        """
        return public(Dependency, self.ask(AskingDepends(item, on, as_of)))

    def why(self, item: str, *, limit: int = 100, as_of: AsOf | None = None) -> Why:
        """Return the derivations of an item and of its inputs, with up to ``limit`` inputs.

        Raises NotFound if the item is not stored.

        >>> warehouse.why("invoices/9").expression
        '?(prices/tea, prices/milk)'
        """
        return public(Why, self.ask(AskingWhy(item, limit, as_of)))

    def why_changed(
        self, item: str, since: AsOf, until: AsOf | None = None, *, limit: int = 100
    ) -> WhyChanged:
        """Return why an item changed: the inputs that were added, removed or changed in value.

        ``since`` and ``until`` are as for ``diff``. The inputs with the largest share of the
        difference come first. Raises NotFound if neither generation has the item.

        >>> change = warehouse.why_changed("revenue/2026-03", since=1)
        >>> change.came, change.went, change.changed
        (0, 0, 0)
        """
        return public(WhyChanged, self.ask(AskingWhyChanged(item, since, until, limit)))

    def evaluate(
        self,
        item: str,
        semiring: Semiring,
        weights: Mapping[str, float],
        *,
        aggregates: Aggregates = "any",
        as_of: AsOf | None = None,
    ) -> Evaluation:
        """Return the value of an item in a semiring, from the weights of its sources.

        The semirings are ``trust`` (the most trustworthy derivation), ``access`` (the lowest level
        that suffices), ``cost`` (the cheapest derivation) and ``count`` (the number of
        derivations). By default, an aggregate uses one of its inputs, which is enough for the
        aggregate to exist. With ``aggregates="all"``, it uses all inputs, which determine its
        value. Raises NotFound for an unknown item, and UsageError for a weight that is not allowed.

        >>> found = warehouse.evaluate("invoices/9", "cost", {"prices/tea": 2, "prices/milk": 3})
        >>> found.low, found.high
        (2.0, 5.0)
        """
        asked = AskingEvaluate(item, semiring, tuple(weights.items()), aggregates, as_of)
        return public(Evaluation, self.ask(asked))

    def ops(self, *, as_of: AsOf | None = None) -> Rows[Operation]:
        """Return the ops that have a description, in order of their names, with their descriptions.

        ``as_of`` is the number of a generation, or a time in ISO 8601. Raises NotFound if nothing
        was ever ingested.

        >>> [op.op for op in warehouse.ops()]
        []
        """
        return rows_of(Operation, self.ask(AskingOps(as_of)).operations)

    def values(
        self, of: str, *, contains: str | None = None, limit: int = 100, as_of: AsOf | None = None
    ) -> Values:
        """Return the first values of ``op``, ``attributes`` (the keys) or ``attributes.KEY``.

        All triples are read, one partition at a time. Raises UsageError for any other ``of``.

        >>> [(each.value, each.triples) for each in warehouse.values("op", limit=2).values]
        [('bill', 2), ('price', 2)]
        """
        return self.ask(AskingValues(of, contains, limit, as_of))

    def modules(self, *, as_of: AsOf | None = None) -> Sequence[Module]:
        """Return the modules of workflows, in order of name, with their ops and tables.

        Raises NotFound if nothing was ever ingested.

        >>> [module.module for module in warehouse.modules()]
        []
        """
        return self.ask(AskingModules(as_of)).modules

    def invocations(
        self, module: str, *, run: str | None = None, as_of: AsOf | None = None
    ) -> Rows[Invocation]:
        """Return the invocations of a module, or only those of one run, with their triples.

        All triples are read, one partition at a time. Raises NotFound for an unknown module.

        >>> [warehouse.invocations(module.module) for module in warehouse.modules()]
        []
        """
        found = self.ask(AskingInvocations(module, run, as_of))
        return rows_of(Invocation, found.invocations)

    def catalogue(self) -> Catalogue:
        """Return the jobs and datasets that ingested OpenLineage events name, with their tables.

        >>> warehouse.catalogue().uses
        ()
        """
        return self.ask(AskingCatalogue())

    def zoom_page(
        self,
        item: str,
        level: Level = "module",
        *,
        direction: Direction = "upstream",
        fold: Sequence[str] = (),
        **filters: Unpack[Filters],
    ) -> str:
        """Return an HTML page with a picture of a view. A click on a module unfolds it.

        The arguments are the same as for ``zoom``, but the level ``catalogue`` is not allowed. The
        page loads nothing from a network. Raises UsageError for an answer that is too large for a
        page.

        >>> page = warehouse.zoom_page("revenue/2026-03")
        >>> page.startswith("<!doctype html>")
        True
        """
        from provhouse.output.zoom_page import zoom_page

        question = question_of(item, direction, filters)
        asked = AskingZoom(**vars(question), zoom=level, fold=tuple(fold), foldable=True)
        return zoom_page(json.dumps(*asked.written(self.ask(asked)).json()))

    def generations(self) -> Rows[Generation]:
        """Return all generations, oldest first: when and how each was made, and what it added.

        Raises NotFound if nothing was ever ingested.

        >>> [(one.generation, one.change, one.new_triples) for one in warehouse.generations()]
        [(1, 'ingest', 6)]
        """
        found = [asdict(each) for each in self.ask(AskingGenerations())]
        return rows_of(Generation, pa.Table.from_pylist(found))
