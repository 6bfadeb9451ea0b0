"""What a server holds: an asker of the current generation, kept in step with what is committed.

A keeper looks twice a second. It makes the asker of a new generation beside the old one, warms it,
and only then switches, so that no question sees a mixture or waits for cold partitions. If Spark or
Neo4j has died it starts them again; questions are refused meanwhile.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import perf_counter

import numpy as np

from provhouse.cypher.server import running
from provhouse.model.errors import NotFound, ProvhouseError, Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.store import spark
from provhouse.store.cached import Cached
from provhouse.store.commits import Commit, current, generations
from provhouse.store.layout import Layout

LOOK_SECONDS = 0.5
AT_ONCE = 8
"""Partitions that are cached by one job while others may want to read."""
log = logging.getLogger("provhouse.serve")


class Warm:
    """Made cold; ``start`` begins to warm it and ``close`` lets everything go."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self._layout = Layout(settings.warehouse)
        self._cached = Cached(settings)
        self._lock = threading.Lock()
        self._held: _Held | None = None
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

    @property
    def generation(self) -> int | None:
        """The generation that questions are answered from."""
        with self._lock:
            return self._held.asker.snapshot.commit.generation if self._held else None

    @property
    def empty(self) -> bool:
        """Whether nothing was ever ingested."""
        return not generations(self._layout)

    @property
    def why(self) -> str:
        """Why nothing is answered, as a sentence; empty if all is well."""
        with self._lock:
            return "" if self._held else self._why

    @contextmanager
    def asker(self) -> Iterator[Asker]:
        """The asker of the current generation, which stays whole for the length of the block.

        Raises Unavailable while there is none.
        """
        with self._lock:
            held = self._held
            if held:
                held.users += 1
        if not held:
            if self.empty:
                raise NotFound(
                    f"A warehouse should be at {self._settings.warehouse}",
                    "Nothing was ingested there",
                    "Take in files with `provhouse ingest FILES…`",
                )
            raise Unavailable(
                "The server should be ready to answer", self._why, "Ask again in some seconds"
            )
        try:
            yield held.asker
        finally:
            self._left(held)

    def _left(self, held: "_Held") -> None:
        with self._lock:
            held.users -= 1
            unused = held.gone and not held.users
        if unused:
            held.asker.close()

    def _switch(self, asker: Asker | None) -> None:
        with self._lock:
            before, self._held = self._held, _Held(asker) if asker else None
            if before:
                before.gone = True
            unused = before if before and not before.users else None
        if unused:
            unused.asker.close()

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
        with self._lock:
            self._why = why
        log.warning(why)

    def _look(self) -> None:
        commit = current(self._layout)
        if commit is None:
            return
        if self._held:
            self._mend()
        if self.generation != commit.generation:
            self._advance(commit)

    def _mend(self) -> None:
        """Let the asker go if something that it needs has died; the next look makes another."""
        if not spark.alive():
            self._say("Spark has ended and is being started again")
            self._switch(None)
            spark.end()
            self._cached = Cached(self._settings)
        elif not running(self._settings.graph_home):
            self._say("Neo4j has ended and is being started again")
            self._switch(None)

    def _advance(self, commit: Commit) -> None:
        began = perf_counter()
        first = self._held is None
        asker = Asker(self._settings, self._progress, cached=self._cached)
        try:
            asker.__enter__()
            asker.warm()
            if not first:
                self._fill(asker)
        except BaseException:
            with suppress(Exception):
                asker.close()
            raise
        self._switch(asker)
        log.info("generation %d after %.1f s", commit.generation, perf_counter() - began)
        if first:  # whoever asks before this is done waits for the partitions of that question only
            self._fill(asker)

    def _fill(self, asker: Asker) -> None:
        """Let Spark cache the partitions that it has not; some at a time, for others to come in."""
        partitions = asker.bulk.partitions
        for some in np.array_split(missing := partitions.missing(), 1 + len(missing) // AT_ONCE):
            if self._over.is_set():
                return
            partitions.warm(some)


class _Held:
    """An asker and how many use it; one that is gone is closed by its last user."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.users = 0
        self.gone = False
