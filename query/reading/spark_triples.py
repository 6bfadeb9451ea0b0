"""Keep the triples of a snapshot in Spark: by partition for CSProv, by hash for RQ and CCProv.

Both copies are loaded on first use and stay in memory until the generation is released.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from provhouse.model.columns import DST, SRC
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.spark.session import Starting, working
from provhouse.runtime.spark.time_limits import limited
from provhouse.runtime.storage import bring
from provhouse.store.cache.partition_cache import PartitionCache, Partitions
from provhouse.store.tables.delta_tables import table_files
from provhouse.store.tables.partitions import partition_path, unless_damaged
from provhouse.store.tables.snapshot import Snapshot

from . import cost
from .hashed_triples import HashedTriples
from .shared_fill import SharedFill, cancelled
from .verify import check_all

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from provhouse.model.question import Direction


class SparkTriples:
    """The triples of one generation. Spark is started when the first triple is needed.

    The cache of partitions may be shared with other generations; ``release`` does not clear a
    shared cache.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: Settings,
        progress: Progress,
        cached: PartitionCache | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._progress = progress
        self._cached = cached or PartitionCache(settings)
        self._own = cached is None
        self._fills: dict[str, SharedFill] = {}
        self._lock = Lock()
        self._ending = False

    @cached_property
    def starting(self) -> Starting:
        """The start of Spark in the background, while other work continues."""
        return Starting(self._settings, self._snapshot.layout.logs)

    @property
    def session(self) -> "SparkSession":
        """The Spark session."""
        self._progress.begin("Start Spark")
        return self.starting.session()

    @cached_property
    def partitions(self) -> Partitions:
        """All visible partitions, each read on first use."""
        return self._cached.partitions(self._context, self._snapshot)

    @cached_property
    def described(self) -> Partitions:
        """All visible partitions with the columns of derivations, each read on first use."""
        return self._cached.described.partitions(self._context, self._snapshot)

    def _context(self, watch: Stopwatch) -> "SparkContext":
        with watch.start("Spark"):
            return self.session.sparkContext

    def hashed(self, direction: "Direction", watch: Stopwatch | None = None) -> HashedTriples:
        """Return all visible triples, hash-partitioned on dst (upstream) or src (downstream).

        Questions that arrive while the triples are being cached wait for the same fill. Raises
        StillFilling when the watch's time limit has passed, and TooSlow if the client has
        disconnected.
        """
        watch = watch or Stopwatch()
        with watch.start("Spark"):
            session = self.session
        with self._lock:
            fill = self._joined(session, _key(direction))
        with working():
            return fill.copy(watch)

    def _joined(self, session: "SparkSession", key: str) -> SharedFill:
        fill = self._fills.get(key)
        if fill is None or not fill.join():
            if self._ending:
                raise cancelled()
            self._progress.begin(f"Cache all triples by {key}")
            expected = cost.copy_seconds(self._snapshot.commit.totals.triples)
            fill = self._fills[key] = SharedFill(partial(self._fill, session, key), expected)
            fill.join()
        return fill

    def _fill(self, session: "SparkSession", key: str, watch: Stopwatch) -> HashedTriples:
        context = session.sparkContext
        bring(self._stored_paths())
        with unless_damaged(self._paths()), working(), limited(context, watch):
            hashed = HashedTriples.load(session, self._snapshot, key, self._settings.spark_storage)
        try:
            check_all(self._snapshot, hashed.triple_count)
        except Damaged:
            hashed.release()
            raise
        return hashed

    def has_hashed(self, direction: "Direction") -> bool:
        """Return whether the copy that ``hashed`` returns is already in memory."""
        fill = self._fills.get(_key(direction))
        return fill is not None and fill.complete

    def _paths(self) -> Iterator[Path]:
        folder = self._snapshot.layout.table(self._snapshot.commit.base, "triples")
        return (partition_path(folder, p) for p in self._snapshot.partitions.tolist())

    def _stored_paths(self) -> Iterator[Path]:
        """Yield all files of the table, of which Spark opens even those of ingests not shown."""
        commit = self._snapshot.commit
        folder = self._snapshot.layout.table(commit.base, "triples")
        yield from table_files(folder, "triples", commit.tables.get("triples"))

    def release(self) -> None:
        """Release the memory that the copies take in Spark."""
        for name in ("partitions", "described"):  # they refer back to this object
            vars(self).pop(name, None)
        if self._own:
            self._cached.release()
        with self._lock:
            for fill in self._fills.values():
                fill.release()

    def cancel_fills(self) -> None:
        """Cancel incomplete copies for RQ and CCProv, and prevent new copies."""
        with self._lock:
            self._ending = True
            for fill in self._fills.values():
                fill.cancel()


def _key(direction: "Direction") -> str:
    return DST if direction == "upstream" else SRC
