"""Answer a question: locate its item, run a method, filter the result and add names."""

from contextlib import ExitStack
from functools import cached_property
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.answer import Answer, ItemHeader
from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.question import AsOf, Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.store.cache.partition_cache import MEGABYTE, PartitionCache
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.layout import Layout

from .as_of import commit_as_of
from .choose import ASKED, Choice, choose
from .explain import Explanation, estimate_methods
from .filters import apply_filters
from .locate import check_tables, locate
from .methods.ccprov import CCProv
from .methods.csprov import CSProv
from .methods.method import QueryMethod
from .methods.rq import RQ
from .named_rows import NO_ROWS, count_rows, name_rows
from .recurse import recurse
from .spark_triples import SparkTriples
from .walk import Walk, WalkCache

SHARE = 8
"""The cache of walks takes one eighth of ``hot_mb``, and so does the cache of names."""


class Asker:
    """Answers questions from one generation, which is fixed when the asker is created.

    An asker is a context manager. It starts Neo4j if it is not running, and Spark when the first
    triple is read. The constructor raises what ``commit_as_of`` raises.
    """

    def __init__(
        self,
        settings: Settings,
        progress: Progress,
        as_of: AsOf | None = None,
        cached: PartitionCache | None = None,
    ) -> None:
        self._settings = settings
        self._progress = progress
        self._layout = Layout(settings.warehouse)
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release Spark's memory, the connection to Neo4j and the lock on the base."""
        self._stack.close()

    @cached_property
    def graph(self) -> Graph:
        """A connection to Neo4j, which was checked to have all that this generation needs."""
        warehouse = self._layout.warehouse_id()
        shared = shared_graph(warehouse, self._settings, self._progress)
        graph = self._stack.enter_context(shared)
        graph.check_load(self.snapshot.commit.commit, self.snapshot.commit.generation)
        return graph

    def warm(self) -> None:
        """Load everything that answers need, except the triples themselves."""
        snapshot = self.snapshot
        _ = self.spark.starting, self.graph
        _ = snapshot.set_components, snapshot.alone, snapshot.placements, snapshot.deaths
        _ = snapshot.dependents, snapshot.names.locate(pa.array([""]))
        self._walks.warm(self.graph)
        recurse(snapshot.set_ids[:0], snapshot.set_ids[:0], 0)
        _ = self.spark.partitions

    def ask(
        self, item: str, direction: Direction, method: Method = "auto", depth: int | None = None
    ) -> Answer:
        """Return the lineage (upstream) or impact (downstream) of an item, up to ``depth`` hops."""
        return self.answer(Question(item, direction, method, depth))

    def answer(
        self, question: Question, watch: Stopwatch | None = None, *, suggest: bool = True
    ) -> Answer:
        """Return the answer to a question with the same ``as_of`` as this asker.

        Raises NotFound if the item is not stored, with similar names if ``suggest``; UsageError if
        a filter names an unknown table; Damaged if the answer would be incomplete; TooSlow if the
        watch's limit passes.
        """
        watch = watch or Stopwatch()
        return self.snapshot.names.settled(lambda: self._answer(question, watch, suggest))

    def _answer(self, question: Question, watch: Stopwatch, suggest: bool) -> Answer:
        with watch.step("locate"):
            check_tables(question.filter_tables, self.snapshot)
            number = locate(self.snapshot, question.item, suggest=suggest)
        for step in ("walk", "fetch", "recurse"):  # every answer reports each step
            watch.seconds[step] = 0.0
        _ = self.spark.starting  # starts Spark in the background: the walk may have to start Neo4j
        choice, method = self._choose_method(question, number, watch)
        found = method.find(number, question.direction, question.depth)
        names = self.snapshot.names
        with watch.step("recurse"):
            shown = apply_filters(found, number, question, names)
        with watch.step("name"):
            counts = count_rows(shown.result, names) if question.summary else None
            items, triples = NO_ROWS if question.summary else name_rows(shown.result, names)
        return Answer(
            **self._header(question, number, choice, watch),
            complete=True,
            truncated=shown.truncated,
            items=items,
            triples=triples,
            read=found.read,
            hidden=shown.hidden,
            erased=shown.erased,
            links=shown.links,
            counts=counts,
        )

    def explain(self, question: Question) -> Explanation:
        """Return what each method would read and cost, without reading triples or starting Spark.

        Raises NotFound if the item is not stored.
        """
        watch = Stopwatch()
        with watch.step("locate"):
            number = locate(self.snapshot, question.item)
        walk = self.walk(number, question.direction, watch)
        copied = self.spark.has_hashed(question.direction)
        choice, methods = estimate_methods(question, self.snapshot, number, walk, copied)
        return Explanation(**self._header(question, number, choice, watch), methods=methods)

    def _header(
        self, question: Question, number: ItemNumber, choice: Choice, watch: Stopwatch
    ) -> dict[str, Any]:
        """Return the fields that answers and explanations share, those of ``ItemHeader``."""
        commit = self.snapshot.commit
        header = ItemHeader(
            item=question.item,
            table=str(self.snapshot.names.tables(ItemNumbers(np.array([number])))[0].as_py()),
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
        """Return the method that the question asks for, or else the cheapest method."""
        asked = question.method
        walk = None if asked in ("rq", "ccprov") else self.walk(item, question.direction, watch)
        if asked == "auto" and walk:
            copied = self.spark.has_hashed(question.direction)
            choice = choose(question, self.snapshot, item, walk, copied)
        else:
            choice = Choice(asked, ASKED[asked])
        if choice.method == "csprov" and walk:
            return choice, CSProv(self.snapshot, self.spark, watch, walk)
        if choice.method == "ccprov":
            return choice, CCProv(self.snapshot, self.spark, watch)
        return choice, RQ(self.spark, watch)

    def walk(self, item: ItemNumber, direction: Direction, watch: Stopwatch) -> Walk:
        """Return the sets that an item needs, from the cache if the walk was made before."""
        with watch.step("walk"):
            return self._walks.walk(item, direction, lambda: self.graph)
