"""Ask for the lineage or the impact of an item: locate it, let a method find, put names to it."""

from contextlib import ExitStack
from functools import cached_property
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.cypher.graph import Graph
from provhouse.cypher.server import connected
from provhouse.model.arrays import I64
from provhouse.model.columns import ATTRIBUTES, DEPTH, DST, ITEM, OP, SRC, TABLE
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.layout import Layout
from provhouse.store.locks import reading
from provhouse.store.snapshot import Snapshot

from .answer import Answer
from .as_of import commit_as_of
from .bulk import Bulk
from .ccprov import CCProv
from .choose import ASKED, Choice, choose
from .csprov import CSProv, Walk
from .explain import Explanation, considered
from .found import Found, Method
from .question import AsOf, Direction, Question
from .question import Method as MethodName
from .rq import RQ


class Asker:
    """Answers from one generation: the current one when it was made, or that of ``as_of``.

    A context manager. Starts Neo4j if nobody has, and Spark when the first triple is read. Raises
    what ``commit_as_of`` raises.
    """

    def __init__(self, settings: Settings, progress: Progress, as_of: AsOf | None = None) -> None:
        self._settings = settings
        self._progress = progress
        self._layout = Layout(settings.warehouse)
        self.snapshot = Snapshot(self._layout, commit_as_of(self._layout, as_of))
        self._then = "" if as_of is None else f" in generation {self.snapshot.commit.generation}"
        self.bulk = Bulk(self.snapshot, settings, progress)
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

    def ask(
        self, item: str, direction: Direction, method: MethodName = "auto", depth: int | None = None
    ) -> Answer:
        """The lineage (upstream) or impact (downstream) of an item, at most ``depth`` hops away."""
        return self.answer(Question(item, direction, method, depth))

    def answer(self, question: Question) -> Answer:
        """The answer to a question, whose ``as_of`` is the one that this was made with.

        Raises NotFound if the item is not held, Damaged rather than give a short answer.
        """
        watch = Stopwatch()
        with watch.step("locate"):
            number = self._locate(question.item)
        for step in ("walk", "fetch", "recurse"):  # every answer tells of each
            watch.seconds[step] = 0.0
        _ = self.bulk.starting  # beside the walk, which may have to start Neo4j
        choice, method = self._chosen(question, number, watch)
        found = method.find(number, question.direction, question.depth)
        with watch.step("name"):
            items, triples = self._named(found)
        commit = self.snapshot.commit
        return Answer(
            item=question.item,
            table=self._table(number),
            direction=question.direction,
            method=choice.method,
            why=choice.why,
            generation=commit.generation,
            time=commit.time,
            complete=True,
            truncated="depth" if found.more else None,
            items=items,
            triples=triples,
            read=found.read,
            seconds=watch.total(),
        )

    def explain(self, question: Question) -> Explanation:
        """What a question would read and cost by each method; reads no triple, starts no Spark.

        Raises NotFound if the item is not held.
        """
        watch = Stopwatch()
        with watch.step("locate"):
            number = self._locate(question.item)
        walk = self._walk(number, question.direction, watch)
        copied = self.bulk.holds(question.direction)
        choice, methods = considered(question, self.snapshot, number, walk, copied)
        commit = self.snapshot.commit
        return Explanation(
            item=question.item,
            table=self._table(number),
            direction=question.direction,
            method=choice.method,
            why=choice.why,
            generation=commit.generation,
            time=commit.time,
            methods=methods,
            seconds=watch.total(),
        )

    def _locate(self, item: str) -> int:
        number = int(self.snapshot.names.locate(pa.array([item], pa.string()))[0])
        if number < 0:
            raise NotFound(
                f"The item {item!r} should be held{self._then}",
                f"It is none of the {self.snapshot.commit.totals.items:,} items",
                "Names are compared letter by letter; check spelling and case",
            )
        return number

    def _table(self, item: int) -> str:
        return str(self.snapshot.names.tables(np.array([item]))[0].as_py())

    def _chosen(self, question: Question, item: int, watch: Stopwatch) -> tuple[Choice, Method]:
        """How to answer a question: as it says, or else by what the walk says."""
        walk = None
        if question.method != "auto":
            choice = Choice(question.method, ASKED[question.method])
        else:
            walk = self._walk(item, question.direction, watch)
            copied = self.bulk.holds(question.direction)
            choice = choose(question, self.snapshot, item, walk, copied)
        if choice.method == "rq":
            return choice, RQ(self.bulk, watch)
        if choice.method == "ccprov":
            return choice, CCProv(self.snapshot, self.bulk, watch)
        with watch.step("walk"):
            return choice, CSProv(self.snapshot, self.graph, self.bulk, watch, walk)

    def _walk(self, item: int, direction: Direction, watch: Stopwatch) -> Walk:
        with watch.step("walk"):
            return CSProv(self.snapshot, self.graph, self.bulk, watch).walk(item, direction)

    def _named(self, found: Found) -> tuple[pa.Table, pa.Table]:
        """The answer with names, in its order."""
        names = self.snapshot.names
        items = pa.table(
            {
                ITEM: names.names(found.items),
                TABLE: names.tables(found.items),
                DEPTH: found.depths,
            }
        ).sort_by([(DEPTH, "ascending"), (ITEM, "ascending")])
        return items, self._named_triples(found)

    def _named_triples(self, found: Found) -> pa.Table:
        src, dst = _numbers(found.triples, SRC), _numbers(found.triples, DST)
        distinct, at = np.unique(np.concatenate([src, dst]), return_inverse=True)
        names = self.snapshot.names.names(distinct)
        triples = pa.table(
            {
                SRC: names.take(pa.array(at[: len(src)])),
                DST: names.take(pa.array(at[len(src) :])),
                OP: found.triples[OP],
                ATTRIBUTES: pc.if_else(
                    pc.equal(found.triples[ATTRIBUTES], ""), "{}", found.triples[ATTRIBUTES]
                ),
                DEPTH: found.near,
            }
        )
        keys = [(key, "ascending") for key in (DEPTH, SRC, DST, OP, ATTRIBUTES)]
        return triples.sort_by(keys).drop_columns([DEPTH])


def _numbers(triples: pa.Table, column: str) -> I64:
    return np.asarray(triples[column], dtype=np.int64)
