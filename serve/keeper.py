"""What a server holds: an asker of the current generation, kept in step with what is committed.

A keeper looks twice a second. It makes the asker of a new generation beside the old one, warms it,
and only then switches, so that no question sees a mixture or waits for cold partitions. After an
erasure it lets all go that was read before, though no answer is made of that any more. If Spark or
Neo4j has died it starts them again; questions are refused meanwhile.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter

import numpy as np

from provhouse.cypher.server import running
from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.progress import Progress
from provhouse.model.question import AsOf
from provhouse.model.settings import Settings
from provhouse.query.as_of import commit_as_of
from provhouse.query.ask import Asker
from provhouse.spark import session as spark
from provhouse.store.cache.partition_cache import PartitionCache
from provhouse.store.names.erased import Mark, erased_mark
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import Commit, current, generations
from provhouse.store.warehouse.layout import Layout

from .answer_cache import State
from .asker_pool import Earlier, Held

LOOK_SECONDS = 0.5
AT_ONCE = 8
"""Partitions that are cached by one job while others may want to read."""
log = logging.getLogger("provhouse.serve")


class Warm:
    """Made cold; ``start`` begins to warm it and ``close`` lets everything go."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self.layout = Layout(settings.warehouse)
        self._cached = PartitionCache(settings)
        self._held: Held | None = None
        self._earlier = Earlier(self._opened)
        self._erased: frozenset[tuple[int, Mark]] = frozenset()
        self._why = "It is starting"
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._keeper.start()

    def close(self) -> None:
        """Wait for what the keeper does, then let go of everything."""
        self._over.set()
        if self._keeper.is_alive():
            self._keeper.join()
        self._switch(None)
        self._earlier.drop()

    @property
    def generation(self) -> int | None:
        """The generation that questions are answered from."""
        held = self._held
        return held.asker.snapshot.commit.generation if held else None

    @property
    def state(self) -> State | None:
        """The same, and what is erased by now of what that holds."""
        held = self._held
        if not held:
            return None
        commit = held.asker.snapshot.commit
        return commit.generation, erased_mark(self.layout.names(commit.base))

    @property
    def cold(self) -> int:
        """How many partitions Spark has still to read; they are read one after the other."""
        held = self._held
        return len(held.asker.spark.partitions.missing()) if held else 0

    @property
    def empty(self) -> bool:
        """Whether nothing was ever ingested."""
        return not generations(self.layout)

    @property
    def why(self) -> str:
        """Why nothing is answered, as a sentence; empty if all is well."""
        return "" if self._held else self._why

    @contextmanager
    def asker(self, as_of: AsOf | None = None) -> Iterator[Asker]:
        """The asker of a generation, which stays whole for the length of the block.

        Raises Unavailable while there is none, and what ``commit_as_of`` raises.
        """
        now = self._taken()
        try:
            shown = now.asker.snapshot.commit.generation
            asked = shown if as_of is None else commit_as_of(self.layout, as_of).generation
            if asked == shown:
                yield now.asker
            else:
                with self._earlier.asker(asked) as asker:
                    yield asker
        finally:
            now.leave()

    def _taken(self) -> Held:
        while held := self._held:
            if held.taken():  # else another has taken its place meanwhile
                return held
        commit_as_of(self.layout)  # says so if nothing was ever ingested
        raise Unavailable(
            "The server should be ready to answer", self.why, "Ask again in some seconds"
        )

    def _switch(self, asker: Asker | None) -> None:
        before, self._held = self._held, Held(asker) if asker else None
        if before:
            before.drop()

    def _lose(self, why: str) -> None:
        """Something that every asker needs has died."""
        self._say(why)
        self._switch(None)
        self._earlier.drop()

    def _keep(self) -> None:
        while not self._over.is_set():
            try:
                self._look()
            except ProvhouseError as error:
                self._say(" ".join(str(error).split("\n")))
            except Exception as error:
                log.exception("The keeper failed")
                self._say(f"{type(error).__name__}: {error}")
            self._over.wait(LOOK_SECONDS)

    def _say(self, why: str) -> None:
        self._why = why
        log.warning(why)

    def _look(self) -> None:
        commit = current(self.layout)
        if commit is None:
            return
        if self._held:
            self._mend()
        erased = self._erasures()
        stale = not erased <= self._erased
        if stale:
            self._cached.clear()
            self._earlier.drop()
        if stale or self.generation != commit.generation:
            self._advance(commit)
        self._erased = erased
        self._earlier.keep(generations(self.layout))  # a pruned one would keep its base

    def _erasures(self) -> frozenset[tuple[int, Mark]]:
        """What was erased of each base; nothing while that goes on, since all is read anew then."""
        marks = {base: erased_mark(self.layout.names(base)) for base in bases(self.layout)}
        if self.layout.erasure.exists():
            return frozenset()
        return frozenset((base, mark) for base, mark in marks.items() if mark)

    def _mend(self) -> None:
        """Let the asker go if something that it needs has died; the next look makes another."""
        if not spark.alive():
            self._lose("Spark has ended and is being started again")
            spark.end()
            self._cached.release()
            self._cached = PartitionCache(self._settings)
        elif not running(self._settings.graph_home):
            self._lose("Neo4j has ended and is being started again")

    def _advance(self, commit: Commit) -> None:
        began = perf_counter()
        first = self._held is None
        asker = self._opened(commit.generation)
        try:
            if not first:
                self._fill(asker)
        except BaseException:
            asker.close()
            raise
        self._switch(asker)
        log.info("generation %d after %.1f s", commit.generation, perf_counter() - began)
        if first:  # whoever asks before this is done waits for the partitions of that question only
            self._fill(asker)

    def _opened(self, generation: int) -> Asker:
        """An asker with all it needs but the triples."""
        with ExitStack() as stack:
            asker = stack.enter_context(
                Asker(self._settings, self._progress, generation, self._cached)
            )
            asker.warm()
            stack.pop_all()
        return asker

    def _fill(self, asker: Asker) -> None:
        """Let Spark cache the partitions that it has not; some at a time, for others to come in."""
        partitions = asker.spark.partitions
        for some in np.array_split(missing := partitions.missing(), 1 + len(missing) // AT_ONCE):
            if self._over.is_set():
                return
            partitions.warm(some)
