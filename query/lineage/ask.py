"""Answer a question: locate its item, run a method, filter the result and add names."""

from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from provhouse.commit.single_writer import finish_erasure
from provhouse.cypher.access import starting
from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.answer import Answer, ItemHeader, LargeAnswer
from provhouse.model.arrays import ItemNumber, ItemNumbers, SetId, SetPositions
from provhouse.model.columns import OP
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.question import AsOf, Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.store.cache.partition_cache import MEGABYTE, PartitionCache
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.layout import Layout

from ..as_of import commit_as_of
from ..locate import LocatedItem, check_tables, locate_versions
from ..methods.ccprov import CCProv
from ..methods.csprov import CSProv, Searched
from ..methods.method import MethodResult, QueryMethod, union
from ..methods.rq import RQ
from ..methods.written_out import written_out
from ..passed_samples import samples_passed
from ..reading.level_search import LevelSearch
from ..reading.recurse import recurse
from ..reading.spark_triples import SparkTriples
from ..reading.walk import Walk, WalkCache
from .as_found import MANY_ITEMS, AsFound
from .choose import ASKED, Choice, choose
from .cost_estimates import EXPLAINED_SETS, Explanation, estimate_methods
from .exactness import Declared, Stated
from .named_rows import count_rows, name_rows, no_rows
from .one_column import AskedColumn, asked_column, with_columns
from .row_filters import Filtered, apply_filters

SHARE = 8
"""The divisor for cache sizes: the cache of walks and that of names each get ``hot_mb / SHARE``."""


class Asker:
    """Answers questions from one generation, which is fixed when the asker is created.

    An asker is a context manager. It starts Neo4j if it is not running, and Spark when a question
    needs it. The constructor completes an interrupted erasure, and raises the errors of
    ``commit_as_of``.
    """

    def __init__(
        self,
        settings: Settings,
        progress: Progress,
        as_of: AsOf | None = None,
        cached: PartitionCache | None = None,
    ) -> None:
        self._briefly = cached is None  # only a warm server, which shares partitions, runs for long
        self._settings = settings
        self._progress = progress
        self._layout = Layout(settings.warehouse)
        finish_erasure(settings, progress)
        cache_bytes = settings.hot_mb * MEGABYTE // SHARE
        self.snapshot = Snapshot(self._layout, commit_as_of(self._layout, as_of), cache_bytes)
        self.as_of = as_of
        self.spark = SparkTriples(self.snapshot, settings, progress, cached)
        self._walks = WalkCache(self.snapshot, cache_bytes)
        self._stack = ExitStack()

    def __enter__(self) -> "Asker":
        with ExitStack() as stack:
            stack.enter_context(pinned(self._layout, self.snapshot.commit))
            stack.callback(self.spark.release)
            self._stack.push(stack.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release Spark's memory, the connection to Neo4j and the lock on the base."""
        self._stack.close()

    @cached_property
    def graph(self) -> Graph:
        """A connection to Neo4j, which was checked to have all data of this generation."""
        warehouse = self._layout.warehouse_id()
        how = self._settings, self._progress
        if self._briefly:
            self._stack.enter_context(starting(*how, briefly=True))
        shared = shared_graph(warehouse, *how)
        graph = self._stack.enter_context(shared)
        graph.check_load(self.snapshot.commit.commit, self.snapshot.commit.generation)
        return graph

    @cached_property
    def declared(self) -> Declared:
        """The declared levels of exactness of the ops."""
        return Declared(operations_of(self.snapshot))

    def warm(self) -> None:
        """Load everything that answers need, except the triples themselves."""
        snapshot = self.snapshot
        _ = self.spark.starting, self.graph
        _ = snapshot.set_components, snapshot.alone, snapshot.placements, snapshot.deaths
        _ = snapshot.dependents, snapshot.groups, snapshot.names.locate(pa.array([""]))
        self._walks.warm(self.graph)
        none = snapshot.set_ids[:0]
        recurse(none, none, 0)  # this search and the next are compiled on first use
        LevelSearch(none, none, ItemNumber(0))
        _ = self.spark.session, self.declared

    def ask(
        self, item: str, direction: Direction, method: Method = "auto", depth: int | None = None
    ) -> Answer:
        """Return the lineage (upstream) or impact (downstream) of an item, up to ``depth`` hops."""
        return self.answer(Question(item, direction, method, depth))

    def answer(
        self, question: Question, watch: Stopwatch | None = None, *, suggest: bool = True
    ) -> Answer:
        """Return the answer to a question, which must have the same ``as_of`` as this asker.

        Raises NotFound if the item is not stored, with similar names if ``suggest``; UsageError if
        a filter names an unknown table; Damaged if the answer would be incomplete; TooSlow if the
        time limit of ``watch`` passes.
        """
        watch = watch or Stopwatch()
        if asked := self._column(question):
            row = self.answer(replace(question, item=asked.item), watch, suggest=suggest)
            return with_columns(row, asked.column, self._layout)

        def whole() -> Answer:
            located = self._locate(question, watch, suggest)
            results = list[MethodResult]()
            for number in map(ItemNumber, located.numbers.tolist()):
                choice, method = self._choose_method(question, number, watch)
                results.append(method.find(number, question.direction, question.depth))
            found = union(results, question.direction)
            return self._answer(question, located, choice, watch, found)

        return self.snapshot.names.settled(whole)

    def answer_as_found(
        self, question: Question, watch: Stopwatch | None = None, *, suggest: bool = True
    ) -> Answer | LargeAnswer:
        """Return the answer to a question; a ``LargeAnswer`` names its rows while they are read.

        A ``LargeAnswer`` must be read before this asker is closed. A ``LargeAnswer`` is returned if
        CSProv finds more than ``MANY_ITEMS`` items, unless the question has a filter, an op has a
        declared exactness, or a write is a sample. Raises the errors of ``answer``.
        """
        watch = watch or Stopwatch()
        # The exactness of an answer is known only after reading all its triples.
        special = question.filtered or question.all_versions or self._column(question)
        if special or self.declared.weakest or self.snapshot.samples:
            return self.answer(question, watch, suggest=suggest)

        def begun() -> Answer | LargeAnswer:
            located = self._locate(question, watch, suggest)
            choice, method = self._choose_method(question, located.first, watch)
            found = _find(method, located.first, question)
            if isinstance(found, Searched):
                return self._large_answer(question, located, choice, watch, found)
            return self._answer(question, located, choice, watch, found)

        return self.snapshot.names.settled(begun)

    def _column(self, question: Question) -> AskedColumn | None:
        return self.snapshot.names.settled(
            lambda: asked_column(self.snapshot, self._layout, question)
        )

    def _locate(self, question: Question, watch: Stopwatch, suggest: bool) -> LocatedItem:
        """Find the numbers of the item, or of its versions."""
        with watch.step("locate"):
            check_tables(question.filter_tables, self.snapshot)
            located = locate_versions(
                self.snapshot, question.item, every=question.all_versions, suggest=suggest
            )
        for step in ("walk", "fetch", "recurse"):  # every answer reports each step
            watch.seconds[step] = 0.0
        return located

    def _answer(
        self,
        question: Question,
        located: LocatedItem,
        choice: Choice,
        watch: Stopwatch,
        found: MethodResult,
    ) -> Answer:
        names = self.snapshot.names
        samples = samples_passed(self.snapshot, question.direction, located.numbers, found.items)
        with watch.step("recurse"):
            shown, stated = self._filtered(found, located.numbers, question)
        with watch.step("name"):
            counts = count_rows(shown.result, names) if question.summary else None
            sets_of = self.snapshot.sets_of if question.sets else None
            items, triples = (
                no_rows(sets=question.sets) if question.summary
                else name_rows(shown.result, names, sets_of)
            )  # fmt: skip
        return Answer(
            **{**self.header(question, located.first, choice, watch), "samples": samples},
            complete=not samples,
            truncated=shown.truncated,
            items=items,
            triples=triples,
            read=found.read,
            hidden=shown.hidden,
            erased=shown.erased,
            links=shown.links,
            missing_keys=shown.missing_keys,
            versions=_versions(question, located),
            counts=counts,
            exactness=stated.weakest,
            exactness_triples=dict(stated.triples),
        )

    def _large_answer(
        self,
        question: Question,
        located: LocatedItem,
        choice: Choice,
        watch: Stopwatch,
        found: Searched,
    ) -> LargeAnswer:
        watch.seconds_left()
        sets_of = self.snapshot.sets_of if question.sets else None
        rows = AsFound(found, self.snapshot.names, sets_of, repeats=bool(self.snapshot.derived))
        return LargeAnswer(
            **self.header(question, located.first, choice, watch),
            complete=True,
            truncated="depth" if len(found.search.unexpanded) else None,
            read=found.read,
            erased=rows.erased,
            count=len(found.search) - rows.erased,
            sets=question.sets,
            versions=_versions(question, located),
            items=rows.items(),
            triples=rows.triples(),
        )

    def _filtered(
        self, found: MethodResult, asked: ItemNumbers, question: Question
    ) -> tuple[Filtered, Stated]:
        """Apply the filters, and state how exact the paths to the remaining items are.

        Shared derivations are also written out: if possible, only for the triples that are shown.
        """
        names = self.snapshot.names
        if question.looks_at_triples or len(names.erased):
            each = self._each(found, question)
            shown = apply_filters(each, asked, question, names)
            return shown, self.declared.of_paths(each, shown.result, question.direction)
        shown = apply_filters(found, asked, question, names)
        shown = replace(shown, result=self._each(shown.result, question))
        return shown, self.declared.of_triples(shown.result.triples[OP])

    def _each(self, found: MethodResult, question: Question) -> MethodResult:
        """Return the result with each triple once."""
        found = written_out(found, self.snapshot.groups, question.direction)
        return found.without_repeats() if self.snapshot.derived else found

    def explain(self, question: Question) -> Explanation:
        """Return the data and cost of each method, without reading triples or starting Spark.

        Raises NotFound if the item is not stored.
        """
        watch = Stopwatch()
        with watch.step("locate"):
            located = locate_versions(self.snapshot, question.item)
            number, question = located.first, replace(question, item=located.names[0])
        walk = self.walk(number, question.direction, watch)
        copied = self.spark.has_hashed(question.direction)
        choice, methods = estimate_methods(question, self.snapshot, number, walk, copied)
        return Explanation(
            **self.header(question, number, choice, watch),
            sets=tuple(self.snapshot.ids_of(SetPositions(walk.sets[:EXPLAINED_SETS])).tolist()),
            methods=methods,
            exactness=self.declared.weakest,
        )

    def header(
        self, question: Question, number: ItemNumber, choice: Choice, watch: Stopwatch
    ) -> dict[str, Any]:
        """Return the fields that answers and explanations share: the fields of ``ItemHeader``."""
        commit, one = self.snapshot.commit, ItemNumbers(np.array([number]))
        header = ItemHeader(
            item=question.item,
            table=str(self.snapshot.names.tables(one)[0].as_py()),
            set_id=SetId(int(self.snapshot.sets_of(one)[0])),
            direction=question.direction,
            method=choice.method,
            why=choice.why,
            generation=commit.generation,
            time=commit.time,
            seconds=watch.total(),
        )
        return vars(header)

    def _choose_method(
        self, question: Question, item: ItemNumber, watch: Stopwatch
    ) -> tuple[Choice, QueryMethod]:
        """Return the requested method, or if the question names none, the cheapest method."""
        asked = question.method
        walk = None if asked in ("rq", "ccprov") else self.walk(item, question.direction, watch)
        if asked == "auto" and walk:
            copied = self.spark.has_hashed(question.direction)
            choice = choose(question, self.snapshot, item, walk, copied)
        else:
            choice = Choice(asked, ASKED[asked])
        if choice.method == "csprov" and walk:
            return choice, CSProv(self.snapshot, self.spark, watch, walk)
        watch.remedy = f"Use the method csprov, which is faster than {choice.method} for most items"
        if choice.method == "ccprov":
            return choice, CCProv(self.snapshot, self.spark, watch)
        return choice, RQ(self.snapshot, self.spark, watch)

    def walk(self, item: ItemNumber, direction: Direction, watch: Stopwatch) -> Walk:
        """Return the walk from an item, which is taken from the cache if possible."""
        with watch.step("walk"):
            return self._walks.walk(item, direction, lambda: self.started(watch), watch)

    def started(self, watch: Stopwatch) -> Graph:
        """Return the connection to Neo4j. ``watch`` records the time to start Neo4j separately."""
        with watch.start("Neo4j"):
            return self.graph


def _find(method: QueryMethod, item: ItemNumber, question: Question) -> MethodResult | Searched:
    """Return a method's result, or its search if the rows can be sent as they are found."""
    direction, depth = question.direction, question.depth
    if not isinstance(method, CSProv) or not method.may_find(MANY_ITEMS):
        return method.find(item, direction, depth)
    found = method.search(item, direction, depth)
    return found if len(found.search) > MANY_ITEMS else found.result()


def _versions(question: Question, located: LocatedItem) -> tuple[str, ...]:
    """Return the names of the versions used in place of the item; empty if the item was used."""
    return () if located.names == (question.item,) else located.names
