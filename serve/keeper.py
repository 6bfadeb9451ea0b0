"""Keep an asker of the current generation open, and replace it after each commit.

An asker answers questions from one generation. As soon as a writer has committed, the keeper opens
an asker of the new generation next to the old asker, caches the new partitions, and only then
switches to the new asker. So no question mixes generations or waits for partitions. Twice a second,
the keeper also checks for other changes. After an erasure, the keeper drops all data that it has
read, so that no erased data stays in memory. If Spark or Neo4j has died, the keeper restarts that
service, and refuses questions until the service runs again.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from weakref import WeakSet

import numpy as np

from provhouse.cypher.access import running
from provhouse.model.arrays import PartitionNumbers
from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.progress import Progress
from provhouse.model.question import AsOf
from provhouse.model.settings import Settings
from provhouse.query.as_of import commit_as_of
from provhouse.query.lineage.ask import Asker
from provhouse.runtime.spark import session as spark
from provhouse.store.cache.partition_cache import PartitionCache
from provhouse.store.names.erased import Mark, erased_mark
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import Commit, current, generations
from provhouse.store.warehouse.layout import Layout

from .answer_cache import Version
from .asker_pool import AskerPool, SharedAsker
from .log import log

START_SECONDS = 300.0
"""The longest time in seconds that a question waits for the server to start."""
CHECK_SECONDS = 0.5
COMMIT_SECONDS = 0.02
"""The time in seconds between two checks for a new commit."""
VIEWS_SECONDS = 3600.0
"""The number of seconds between two removals of expired views from Neo4j."""
NEO4J_SECONDS = 5.0
"""The number of seconds between two checks that Neo4j answers."""
PARTITIONS_PER_JOB = 8
"""The largest number of partitions that one Spark job caches. Questions run between these jobs."""


class Keeper:
    """Provides askers of the current and earlier generations, from ``start`` to ``close``."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self.layout = Layout(settings.warehouse)
        self._cached = PartitionCache(settings)
        self._current: SharedAsker | None = None
        self._earlier = AskerPool(self._open)
        self._erased: frozenset[tuple[int, Mark]] = frozenset()
        self._reason = "The server is starting"
        self._started = threading.Event()
        """An event that is set when the first asker is open or failed, or the server stops."""
        self._views_checked = perf_counter()
        self._neo4j_checked = perf_counter()
        self._deaths = 0
        self._opened: WeakSet[Asker] = WeakSet()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)

    def start(self) -> None:
        """Start the thread that opens the asker and replaces it after commits; return at once."""
        self._thread.start()

    def cancel_fills(self) -> None:
        """Cancel the loading of all triples for RQ or CCProv, so that no question waits for it.

        The server calls this before it finishes the answers in progress.
        """
        self._closing.set()
        self._started.set()
        for asker in list(self._opened):
            asker.spark.cancel_fills()

    def close(self) -> None:
        """End the keeper's thread, then drop all askers."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self._switch(None)
        self._earlier.drop()
        for asker in list(self._opened):  # else a question that still runs would keep Neo4j in use
            asker.close()

    @property
    def generation(self) -> int | None:
        """The generation from which questions are now answered, or None while no asker is open."""
        shared = self._current
        return shared.asker.snapshot.commit.generation if shared else None

    @property
    def version(self) -> Version | None:
        """The generation from which questions are now answered, and its base's mark of erasures."""
        shared = self._current
        if not shared:
            return None
        commit = shared.asker.snapshot.commit
        return commit.generation, erased_mark(self.layout.names(commit.base))

    @property
    def cold_partitions(self) -> int:
        """The number of partitions that Spark has yet to read in the background."""
        shared = self._current
        return len(shared.asker.spark.partitions.missing()) if shared else 0

    @property
    def empty(self) -> bool:
        """Whether the warehouse has no generation yet."""
        return not generations(self.layout)

    @property
    def not_ready_reason(self) -> str:
        """The reason why questions cannot be answered, as a sentence; empty if they can."""
        return "" if self._current else self._reason

    @contextmanager
    def asker(self, as_of: AsOf | None = None) -> Iterator[Asker]:
        """Yield an asker of the current generation or, with ``as_of``, of an earlier generation.

        The asker stays open during the block. While the server starts, the call waits. Raises
        Unavailable while Spark or Neo4j is being restarted, and if one of them dies during the
        block; also raises the errors of ``commit_as_of``.
        """
        with self._lost_as_unavailable():
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

    @contextmanager
    def _lost_as_unavailable(self) -> Iterator[None]:
        """Turn any error in the block into Unavailable if Spark or Neo4j died meanwhile.

        A Spark session that has ended raises many kinds of errors, depending on the moment.
        """
        deaths = self._deaths
        try:
            with spark.working():
                yield
        except ProvhouseError:
            raise
        except Exception as error:
            if self._deaths == deaths:
                raise
            raise Unavailable(
                "The question was interrupted",
                self._reason,
                "Ask again in a few seconds",
            ) from error

    def _acquire(self) -> SharedAsker:
        if not self._current:
            commit_as_of(self.layout)  # raises NotFound if nothing was ever ingested
            self._started.wait(START_SECONDS)
        while shared := self._current:
            if shared.acquire():  # otherwise it was replaced in the meantime
                return shared
        raise Unavailable(
            "The server is not ready",
            self.not_ready_reason,
            "Ask again in a few seconds",
        )

    def _switch(self, asker: Asker | None) -> None:
        before, self._current = self._current, SharedAsker(asker) if asker else None
        self._started.set()
        if before:
            before.drop()

    def _drop_all(self, reason: str) -> None:
        """Drop all askers because Spark or Neo4j has died; ``reason`` states which one."""
        self._deaths += 1
        self._report(reason)
        self._switch(None)
        self._earlier.drop()

    def _run(self) -> None:
        while not self._closing.is_set():
            commits = self._commits_mark()
            try:
                self._check()
            except ProvhouseError as error:
                self._report(" ".join(str(error).split("\n")))
            except Exception as error:
                log.exception("The keeper failed")
                self._report(f"{type(error).__name__}: {error}")
            self._wait(commits)

    def _wait(self, commits: int) -> None:
        """Wait until the next check is due, or a commit was made since ``commits`` was read."""
        due = perf_counter() + CHECK_SECONDS
        while perf_counter() < due and self._commits_mark() == commits:
            if self._closing.wait(COMMIT_SECONDS):
                return

    def _commits_mark(self) -> int:
        """Return a number that changes with every new commit record."""
        try:
            return self.layout.commits.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _report(self, reason: str) -> None:
        if reason != self._reason:  # while Neo4j is down, each check reports the same reason
            log.warning(reason)
        self._reason = reason
        self._started.set()

    def _check(self) -> None:
        commit = current(self.layout)
        if commit is None:
            return
        if self._current:
            self._check_services()
        erased = self._erased_marks()
        stale = not erased <= self._erased
        if stale:
            self._cached.clear()
            self._earlier.drop()
        if stale or self.generation != commit.generation:
            self._advance(commit)
        self._erased = erased
        self._earlier.keep_only(
            generations(self.layout)
        )  # the asker of a pruned generation would keep its base in use

    def _erased_marks(self) -> frozenset[tuple[int, Mark]]:
        """Return, for each base with erasures, a value that changes with every erasure.

        While an erasure runs, return an empty set. So every value returned after the erasure is new
        to the keeper, which then reads all data again.
        """
        marks = {base: erased_mark(self.layout.names(base)) for base in bases(self.layout)}
        if self.layout.erasure.exists():
            return frozenset()
        return frozenset((base, mark) for base, mark in marks.items() if mark)

    def _check_services(self) -> None:
        """Drop all askers if Spark or Neo4j has died; otherwise remove expired views, once an hour.

        Opening the next asker starts Spark or Neo4j, if it is not running.
        """
        if not spark.alive():
            self._drop_all("Spark has stopped and is being restarted")
            spark.end()
            self._cached.release()
            self._cached = PartitionCache(self._settings)
        elif not self._neo4j_runs():
            self._drop_all(self._neo4j_lost())
        elif perf_counter() - self._views_checked > VIEWS_SECONDS:
            self._views_checked = perf_counter()
            with self.asker() as asker:
                asker.graph.remove_views(expired=True)

    def _neo4j_runs(self) -> bool:
        """Return whether Neo4j runs; every few seconds, also test whether it answers."""
        if not self._settings.neo4j_uri and running(self._settings) is None:
            return False
        if perf_counter() - self._neo4j_checked < NEO4J_SECONDS:
            return True
        with self.asker() as asker:
            found = asker.graph.answers()
        self._neo4j_checked = perf_counter()
        return found

    def _neo4j_lost(self) -> str:
        if uri := self._settings.neo4j_uri:
            return f"Neo4j at {uri} does not answer"
        if address := running(self._settings):
            return f"Neo4j at {address.bolt} does not answer; its process is stopped or hangs"
        return "Neo4j has stopped and is being restarted"

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
        log.info(
            "Answers come from generation %d, opened in %.1f s",
            commit.generation,
            perf_counter() - began,
        )
        if first:  # until this is done, a question waits only for the partitions that it needs
            self._cache_partitions(asker)

    def _open(self, generation: int) -> Asker:
        """Open an asker and load all its data except triples."""
        with ExitStack() as stack:
            asker = stack.enter_context(
                Asker(self._settings, self._progress, generation, self._cached)
            )
            asker.warm()
            stack.pop_all()
        self._opened.add(asker)
        return asker

    def _cache_partitions(self, asker: Asker) -> None:
        """Have Spark read the partitions that were not read yet, a few at a time."""
        partitions = asker.spark.partitions
        missing = partitions.missing()
        for some in np.array_split(missing, 1 + len(missing) // PARTITIONS_PER_JOB):
            if self._closing.is_set():
                return
            partitions.warm(PartitionNumbers(some))
