"""Keep the triples of a snapshot in Spark: by partition for CSProv, by hash for RQ and CCProv.

Both copies are loaded on first use and stay in memory while the process runs.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.columns import DST, SRC
from provhouse.model.errors import Damaged
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.spark.session import Starting, working
from provhouse.store.cache.partition_cache import PartitionCache, Partitions
from provhouse.store.tables.partitions import partition_path, unless_damaged
from provhouse.store.tables.snapshot import Snapshot

from .hashed_triples import HashedTriples
from .verify import check_all

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from provhouse.model.question import Direction


class SparkTriples:
    """The triples of one generation; Spark starts when the first triple is needed.

    The cache of partitions may be shared with other generations. ``release`` keeps a shared cache.
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
        self._hashed: dict[str, HashedTriples] = {}

    @cached_property
    def starting(self) -> Starting:
        """The start of Spark in the background, so that other work can go on meanwhile."""
        return Starting(self._settings, self._snapshot.layout.logs)

    @property
    def session(self) -> "SparkSession":
        """The Spark session."""
        self._progress.begin("Start Spark")
        return self.starting.session()

    @cached_property
    def partitions(self) -> Partitions:
        """All visible partitions, each read on first use."""
        return self._cached.partitions(self.session.sparkContext, self._snapshot)

    def hashed(self, direction: "Direction") -> HashedTriples:
        """Return all visible triples, hash-partitioned on dst (upstream) or src (downstream)."""
        key = DST if direction == "upstream" else SRC
        if key not in self._hashed:
            session = self.session
            self._progress.begin(f"Cache all triples by {key}")
            with unless_damaged(self._paths()), working():
                hashed = HashedTriples.load(
                    session, self._snapshot, key, self._settings.spark_storage
                )
            try:
                check_all(self._snapshot, hashed.triple_count)
            except Damaged:
                hashed.release()
                raise
            self._hashed[key] = hashed
        return self._hashed[key]

    def has_hashed(self, direction: "Direction") -> bool:
        """Return whether ``hashed`` has all triples in memory already."""
        return (DST if direction == "upstream" else SRC) in self._hashed

    def _paths(self) -> Iterator[Path]:
        folder = self._snapshot.layout.table(self._snapshot.commit.base, "triples")
        return (partition_path(folder, p) for p in self._snapshot.partitions.tolist())

    def release(self) -> None:
        """Release Spark's memory."""
        if self._own:
            self._cached.release()
        for hashed in self._hashed.values():
            hashed.release()
