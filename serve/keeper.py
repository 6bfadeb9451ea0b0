"""What a server holds: an asker of the current generation, kept in step with what is committed.

A keeper looks twice a second. It makes the asker of a new generation beside the old one, warms it,
and only then switches, so that no question sees a mixture or waits for cold partitions. After an
erasure it lets all go that was read before, though no answer is made of that any more. If Spark or
Neo4j has died it starts them again; questions are refused meanwhile.
"""

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
from provhouse.store.cache.partition_cache import Cached
from provhouse.store.names.names import Mark, erased_mark
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import Commit, current, generations
from provhouse.store.warehouse.layout import Layout

from .answer_cache import Version
from .asker_pool import AskerPool, SharedAsker
from .log import log

CHECK_SECONDS = 0.5
PARTITIONS_PER_JOB = 8
"""Partitions that are cached by one job while others may want to read."""


class Keeper:
    """Made cold; ``start`` begins to warm it and ``close`` lets everything go."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self.layout = Layout(settings.warehouse)
        self._cached = Cached(settings)
        self._current: SharedAsker | None = None
        self._earlier = AskerPool(self._open)
        self._erased: frozenset[tuple[int, Mark]] = frozenset()
        self._reason = "It is starting"
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """Wait for what the keeper does, then let go of everything."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self._switch(None)
        self._earlier.drop()

    @property
    def generation(self) -> int | None:
        """The generation that questions are answered from."""
        shared = self._current
        return shared.asker.snapshot.commit.generation if shared else None

    @property
    def version(self) -> Version | None:
        """The same, and what is erased by now of what that holds."""
        shared = self._current
        if not shared:
            return None
        commit = shared.asker.snapshot.commit
        return commit.generation, erased_mark(self.layout.names(commit.base))

    @property
    def cold_partitions(self) -> int:
        """How many partitions Spark has still to read; they are read one after the other."""
        shared = self._current
        return len(shared.asker.bulk.partitions.missing()) if shared else 0

    @property
    def empty(self) -> bool:
        """Whether nothing was ever ingested."""
        return not generations(self.layout)

    @property
    def not_ready_reason(self) -> str:
        """Why nothing is answered, as a sentence; empty if all is well."""
        return "" if self._current else self._reason

    @contextmanager
    def asker(self, as_of: AsOf | None = None) -> Iterator[Asker]:
        """The asker of a generation, which stays whole for the length of the block.

        Raises Unavailable while there is none, and what ``commit_as_of`` raises.
        """
        now = self._acquire()
        try:
            shown = now.asker.snapshot.commit.generation
            asked = shown if as_of is None else commit_as_of(self.layout, as_of).generation
            if asked == shown:
                yield now.asker
            else:
                with self._earlier.asker(asked) as asker:
                    yield asker
        finally:
            now.release()

    def _acquire(self) -> SharedAsker:
        while shared := self._current:
            if shared.acquire():  # else another has taken its place meanwhile
                return shared
        commit_as_of(self.layout)  # says so if nothing was ever ingested
        raise Unavailable(
            "The server should be ready to answer",
            self.not_ready_reason,
            "Ask again in some seconds",
        )

    def _switch(self, asker: Asker | None) -> None:
        before, self._current = self._current, SharedAsker(asker) if asker else None
        if before:
            before.drop()

    def _drop_all(self, reason: str) -> None:
        """Something that every asker needs has died."""
        self._report(reason)
        self._switch(None)
        self._earlier.drop()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._check()
            except ProvhouseError as error:
                self._report(" ".join(str(error).split("\n")))
            except Exception as error:
                log.exception("The keeper failed")
                self._report(f"{type(error).__name__}: {error}")
            self._closing.wait(CHECK_SECONDS)

    def _report(self, reason: str) -> None:
        self._reason = reason
        log.warning(reason)

    def _check(self) -> None:
        commit = current(self.layout)
        if commit is None:
            return
        if self._current:
            self._check_services()
        erased = self._erased_marks()
        stale = not erased <= self._erased
        if stale:
            self._cached.forget()
            self._earlier.drop()
        if stale or self.generation != commit.generation:
            self._advance(commit)
        self._erased = erased
        self._earlier.keep_only(generations(self.layout))  # a pruned one would keep its base

    def _erased_marks(self) -> frozenset[tuple[int, Mark]]:
        """What was erased of each base; nothing while that goes on, since all is read anew then."""
        marks = {base: erased_mark(self.layout.names(base)) for base in bases(self.layout)}
        if self.layout.erasure.exists():
            return frozenset()
        return frozenset((base, mark) for base, mark in marks.items() if mark)

    def _check_services(self) -> None:
        """Let the asker go if something that it needs has died; the next look makes another."""
        if not spark.alive():
            self._drop_all("Spark has ended and is being started again")
            spark.end()
            self._cached.release()
            self._cached = Cached(self._settings)
        elif not running(self._settings.graph_home):
            self._drop_all("Neo4j has ended and is being started again")

    def _advance(self, commit: Commit) -> None:
        began = perf_counter()
        first = self._current is None
        asker = self._open(commit.generation)
        try:
            if not first:
                self._cache_partitions(asker)
        except BaseException:
            asker.close()
            raise
        self._switch(asker)
        log.info("generation %d after %.1f s", commit.generation, perf_counter() - began)
        if first:  # whoever asks before this is done waits for the partitions of that question only
            self._cache_partitions(asker)

    def _open(self, generation: int) -> Asker:
        """An asker with all it needs but the triples."""
        with ExitStack() as stack:
            asker = stack.enter_context(
                Asker(self._settings, self._progress, generation, self._cached)
            )
            asker.warm()
            stack.pop_all()
        return asker

    def _cache_partitions(self, asker: Asker) -> None:
        """Let Spark cache the partitions that it has not; some at a time, for others to come in."""
        partitions = asker.bulk.partitions
        missing = partitions.missing()
        for some in np.array_split(missing, 1 + len(missing) // PARTITIONS_PER_JOB):
            if self._closing.is_set():
                return
            partitions.warm(some)
