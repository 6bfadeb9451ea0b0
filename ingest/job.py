"""Define a job: its inputs, the generation that it adds to, and how its steps and tasks run.

Ingests, imports, compactions and previews are jobs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import pyarrow as pa

from provhouse.model.fault_points import reach
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import THETA, Settings
from provhouse.runtime.room import Room
from provhouse.runtime.spark.tasks import Sizes, run_tasks
from provhouse.sets.split_arrays import Split
from provhouse.store.names.names import Names
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock

from .formats.source import Source
from .staging import Staging

if TYPE_CHECKING:  # tasks import this module too, and need none of these
    from pyspark import SparkContext

    from provhouse.cypher.access import Import
    from provhouse.cypher.graph import Graph

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True)
class JobStep:
    """A step of a job.

    ``name`` must never change: it is the step's key in ``seconds``, and names the step's fault
    point. ``title`` is the step's name for users.
    """

    name: str
    title: str


class Task(Protocol[T_co]):
    """A part of a step, pickled to run in another process."""

    def run(self) -> T_co:
        """Do the work, and return the result, which is pickled too."""


@dataclass(frozen=True)
class GivenOperations:
    """The descriptions that an ingest stores, one for each op."""

    rows: pa.Table
    """Rows with the columns ``OPERATION``, and with ``born`` if they were stored before."""
    source: str = ""
    """The path of the file, or the label of rows that a program passed.

    It is empty for descriptions that were stored before.
    """


@dataclass(frozen=True)
class GivenModules:
    """Declarations of modules that an ingest stores."""

    rows: pa.Table
    """Rows with the columns module, workflow, part and name, and with ``born`` if stored before."""
    source: str = ""
    """The path of the file; empty for declarations that were stored before."""


@dataclass(frozen=True)
class Inputs:
    """The input files of a job, and the options for reading them. A compaction has no files."""

    sources: Sequence[Source] = ()
    splits: tuple[Path, list[Split]] | None = None
    strict: bool = False
    run: str | None = None
    """The run whose earlier triples the files replace; None if they replace nothing."""
    naming: Naming | None = None
    """The naming that the user wants; None for the stored naming."""
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    """The declared patterns of row ids, by table."""
    passed_over: Sequence[str] = ()
    """Files in the given folders that are not read because of the files' names."""
    operations: GivenOperations | None = None
    modules: GivenModules | None = None

    @property
    def files(self) -> list[str]:
        """The distinct names of all files, for the table ``ingests``."""
        descriptions = (self.operations, self.modules)
        given = [each.source for each in descriptions if each and each.source]
        return [*dict.fromkeys([*(source.name for source in self.sources), *given])]

    @property
    def bytes_unpacked(self) -> int:
        """The approximate size of all files in bytes, uncompressed."""
        return sum(source.bytes_unpacked for source in self.sources)


@dataclass(frozen=True)
class GraphAccess:
    """Access to Neo4j for one job. The server may start early, or only in the step ``load``."""

    start: "Callable[[Import | None], Graph]"
    """A function that runs the given import, if any, starts the server and returns the graph.

    The returned graph is connected to the server.
    """
    await_graph: "Callable[[], Graph | None]"
    """A function that waits for the server, checks the graph and returns it.

    It returns None if the server is not started before the step ``load``, so that Neo4j's importer
    can run first.
    """


@dataclass(frozen=True)
class Job:
    """The data that all steps of a job share, and the methods that run steps and tasks."""

    settings: Settings
    layout: Layout
    before: Commit | None
    """The current generation; None in a new warehouse."""
    extends: Commit | None
    """The generation that this job adds to; None if the job begins a base."""
    rolls_back_to: int | None
    """The generation that becomes current again if this job is rolled back."""
    ids: Ids
    inputs: Inputs
    naming: Naming
    patterns: Mapping[str, Pattern]
    """The stored and declared patterns of row ids, by table."""
    staging: Staging
    progress: Progress
    watch: Stopwatch
    context: "SparkContext | None" = None
    """The Spark context; None if the tasks run in this process: in a small job or a preview."""
    neo4j: GraphAccess | None = None
    """The access to Neo4j; None in a preview, which writes nothing to the warehouse."""

    @property
    def base(self) -> int:
        """The base that this job writes to."""
        return self.extends.base if self.extends else self.ids.base

    @property
    def theta(self) -> int:
        """The setting theta; if not set, the current generation's theta, or else the default."""
        return self.settings.theta or (self.before and self.before.theta) or THETA

    def snapshot(self) -> Snapshot | None:
        """Return the snapshot of the generation that this job adds to; None for a new base."""
        return self._before

    @cached_property
    def _before(self) -> Snapshot | None:
        # All steps share the snapshot, so each look-up is opened once and each table read once.
        return Snapshot(self.layout, self.extends, room=self.room) if self.extends else None

    def after(self, commit: Commit) -> Snapshot:
        """Return a snapshot of the generation that this job makes. Later calls share its sets."""
        earlier = self._made[-1] if self._made else self.snapshot()
        self._made.append(Snapshot(self.layout, commit, room=self.room, earlier=earlier))
        return self._made[-1]

    @cached_property
    def _made(self) -> list[Snapshot]:
        return []

    @property
    def names(self) -> Names:
        """The names of the generation that this job adds to; empty if it begins a base."""
        before = self.snapshot()
        return before.names if before else Names(self.layout.names(self.base), ())

    @cached_property
    def room(self) -> Room:
        """The memory for arrays that grow with the data, limited by the setting ``driver_mb``."""
        return Room(self.staging.folder, self.settings.driver_mb)

    @contextmanager
    def step(self, step: JobStep) -> Iterator[None]:
        """Run the block as a step: announce it, time it, and reach its fault point at the end."""
        self.progress.begin(step.title)
        with self.watch.step(step.name):
            if self.neo4j:
                check_lock(self.layout)
            yield
        if self.neo4j:
            reach(step.name)

    def run(
        self, tasks: Sequence[Task[T]], sizes: Sequence[int] | None = None, unit: str = ""
    ) -> list[T]:
        """Run tasks in Spark or in this process; ``sizes`` weight them in the progress display."""
        measured = None if sizes is None else Sizes(self.staging.done, sizes, unit)
        return run_tasks(self.context, _run, tasks, self.progress, measured)


def _run(task: Task[T]) -> T:
    return task.run()
