"""One job: what was given, what it adds to, and how its steps are timed and their tasks run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from provhouse.model.faults import reach
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.sets.splits import Split
from provhouse.spark.tasks import Sizes, run_tasks
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import still_writing

from .formats.source import Source
from .staging import Staging

if TYPE_CHECKING:  # tasks import this module too, in processes that need neither
    from pyspark import SparkContext

    from provhouse.cypher.graph import Graph
    from provhouse.cypher.server import Import

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """A step of a job: its name in ``seconds`` and as a fault point, and its title for people."""

    name: str
    title: str


class Task(Protocol[T_co]):
    """A part of a step that runs in a process of its own; it is pickled on the way there."""

    def run(self) -> T_co:
        """Do it."""


@dataclass(frozen=True)
class Inputs:
    """What a person gave; a compaction has no files."""

    sources: Sequence[Source] = ()
    splits: tuple[Path, list[Split]] | None = None
    strict: bool = False
    run: str | None = None
    """What is brought replaces what this run has brought before."""

    @property
    def bytes_unpacked(self) -> int:
        """About how many bytes the files hold once they are read."""
        return sum(source.bytes_unpacked for source in self.sources)


@dataclass
class GraphAccess:
    """Neo4j for one job, which may be started only when there is something to import."""

    start: "Callable[[Import | None], Graph]"
    """Starts the server, with this to be imported before."""
    graph: "Graph | None" = None
    """None until the first load, where the importer comes before the server."""


@dataclass(frozen=True)
class Job:
    """What all steps of an ingest, an import, a compaction or a preview know from the start."""

    settings: Settings
    layout: Layout
    before: Commit | None
    """The generation that is current until this one is."""
    extends: Commit | None
    """The same if this job adds to it; None begins a base."""
    rolls_back_to: int | None
    """The generation that a rollback of this one shows again."""
    ids: Ids
    inputs: Inputs
    staging: Staging
    progress: Progress
    watch: Stopwatch
    context: "SparkContext | None" = None
    """None in a preview, whose tasks run here."""
    neo4j: GraphAccess | None = None
    """None in a preview, which writes nothing."""

    @property
    def base(self) -> int:
        """The base that is written to."""
        return self.extends.base if self.extends else self.ids.base

    def snapshot(self) -> Snapshot | None:
        """Return what the generation that is added to shows."""
        return Snapshot(self.layout, self.extends) if self.extends else None

    @contextmanager
    def step(self, step: Step) -> Iterator[None]:
        """Run the block as a step: announced, timed, and ended at its fault point."""
        self.progress.begin(step.title)
        with self.watch.step(step.name):
            if self.neo4j:
                still_writing(self.layout)
            yield
        if self.neo4j:
            reach(step.name)

    def run(
        self, tasks: Sequence[Task[T]], sizes: Sequence[int] | None = None, unit: str = ""
    ) -> list[T]:
        """Run tasks as one Spark job; ``sizes`` is how much each has to do, for progress."""
        measured = None if sizes is None else Sizes(self.staging.done, sizes, unit)
        return run_tasks(self.context, _run, tasks, self.progress, measured)


def _run(task: Task[T]) -> T:
    return task.run()
