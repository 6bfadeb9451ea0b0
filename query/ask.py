"""Ask for the lineage or the impact of an item: locate it, let a method find, put names to it."""

from contextlib import ExitStack
from functools import cached_property
from types import TracebackType

import numpy as np
import pyarrow as pa

from provhouse.cypher.graph import Graph
from provhouse.cypher.server import connected
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.cached import Cached
from provhouse.store.commits import current
from provhouse.store.layout import Layout
from provhouse.store.locks import reading
from provhouse.store.snapshot import Snapshot

from .answer import Answer
from .bulk import Bulk
from .ccprov import CCProv
from .csprov import CSProv
from .found import Method
from .locate import locate
from .naming import NO_ROWS, counted, named
from .narrow import narrow
from .question import Direction, Question
from .question import Method as MethodName
from .rq import RQ
from .tables import check_tables

_WHY = {
    "rq": "RQ was asked for: it reads level by level from all triples",
    "ccprov": "CCProv was asked for: it reads the whole component of the item",
    "csprov": "CSProv was asked for: it reads the connected sets that the item needs",
}


class Asker:
    """Answers from the generation that was current when it was made.

    A context manager. Starts Neo4j if nobody has, and Spark when the first triple is read. Raises
    NotFound where nothing was ever ingested.
    """

    def __init__(
        self, settings: Settings, progress: Progress, cached: Cached | None = None
    ) -> None:
        self._settings = settings
        self._progress = progress
        self._layout = Layout(settings.warehouse)
        commit = current(self._layout)
        if commit is None:
            raise NotFound(
                f"A warehouse should be at {settings.warehouse}",
                "Nothing was ingested there",
                "Name another with --warehouse, or take in files with `provhouse ingest FILES…`",
            )
        self.snapshot = Snapshot(self._layout, commit)
        self.bulk = Bulk(self.snapshot, settings, progress, cached)
        self._stack = ExitStack()

    def __enter__(self) -> "Asker":
        self._stack.enter_context(reading(self._layout, self.snapshot.commit.base))
        self._stack.callback(self.bulk.release)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of everything."""
        self._stack.close()

    @cached_property
    def graph(self) -> Graph:
        """Neo4j, with all that this generation needs."""
        settings = self._settings
        address = self._stack.enter_context(
            connected(settings.graph_home, settings.neo4j_memory, self._progress)
        )
        graph = self._stack.enter_context(Graph(address, self._layout.warehouse_id()))
        graph.check_load(self.snapshot.commit.commit, self.snapshot.commit.generation)
        return graph

    def warm(self) -> None:
        """Bring everything near that an answer needs, but for the triples themselves."""
        snapshot = self.snapshot
        _ = self.bulk.starting, self.graph
        _ = snapshot.set_components, snapshot.set_nodes, snapshot.placements
        _ = snapshot.set_dependencies, snapshot.names.locate(pa.array([""]))
        _ = self.bulk.partitions

    def ask(
        self, item: str, direction: Direction, method: MethodName = "auto", depth: int | None = None
    ) -> Answer:
        """The lineage (upstream) or impact (downstream) of an item, at most ``depth`` hops away."""
        return self.answer(Question(item, direction, method, depth))

    def answer(
        self, question: Question, seconds: float | None = None, *, suggest: bool = True
    ) -> Answer:
        """The answer to a question, within so many seconds.

        Raises NotFound if the item is not held, which names others like it if ``suggest``;
        UsageError for a filter on a table that is none; Damaged rather than give a short answer;
        TooSlow.
        """
        watch = Stopwatch(seconds)
        with watch.step("locate"):
            check_tables([*question.tables, question.through or ""], self.snapshot)
            number = locate(self.snapshot, question.item, suggest=suggest)
        for step in ("walk", "fetch", "recurse"):  # every answer tells of each
            watch.seconds[step] = 0.0
        used, why = self._chosen(question.method, number)
        _ = self.bulk.starting  # beside the walk, which may have to start Neo4j
        with_name = {"rq": self._rq, "ccprov": self._ccprov, "csprov": self._csprov}[used]
        found = with_name(watch).find(number, question.direction, question.depth)
        names = self.snapshot.names
        with watch.step("recurse"):
            shown = narrow(found, number, question, names)
            counts = counted(shown.found, names) if question.summary else None
            items, triples = NO_ROWS if question.summary else named(shown.found, names)
        commit = self.snapshot.commit
        return Answer(
            item=question.item,
            table=str(names.tables(np.array([number]))[0].as_py()),
            direction=question.direction,
            method=used,
            why=why,
            generation=commit.generation,
            time=commit.time,
            complete=True,
            truncated=shown.truncated,
            items=items,
            triples=triples,
            read=found.read,
            seconds=watch.total(),
            hidden=shown.hidden,
            counts=counts,
        )

    def _chosen(self, method: MethodName, item: int) -> tuple[MethodName, str]:
        if method != "auto":
            return method, _WHY[method]
        snapshot = self.snapshot
        own = snapshot.set_rows(np.array([item]))[0]
        same = snapshot.set_components == snapshot.set_components[own]
        sets, items = int(same.sum()), int(snapshot.set_items[same].sum())
        if sets == 1:
            return "csprov", f"The item's component is one set of {items:,} items, read as a whole"
        return (
            "csprov",
            f"The item's component has {items:,} items in {sets:,} sets, of which few are needed",
        )

    def _csprov(self, watch: Stopwatch) -> Method:
        with watch.step("walk"):
            graph = self.graph
        return CSProv(self.snapshot, graph, self.bulk, watch)

    def _ccprov(self, watch: Stopwatch) -> Method:
        return CCProv(self.snapshot, self.bulk, watch)

    def _rq(self, watch: Stopwatch) -> Method:
        return RQ(self.bulk, watch)
