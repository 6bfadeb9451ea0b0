"""Run the steps of an ingest in order; each step uses the results of the earlier steps.

Results become durable in this order: Delta tables, Neo4j, commit record. After a crash before the
commit record, the next writer removes the rows that the Delta tables should not have. Leftover sets
and dependencies are kept in Neo4j, since they never make an answer wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass

from provhouse.model.columns import MODULE
from provhouse.store.tables.modules import MODULES
from provhouse.store.tables.operations import OPERATIONS
from provhouse.store.warehouse.commits import Commit

from ..ingest_summary import Hub
from ..job import Job, Step
from .commit import commit
from .cut_components import CutResult, cut
from .describe import new_descriptions
from .load import load
from .number import NumberResult, number
from .place import PlaceResult, place
from .read import ReadResult, read
from .write import write

READ = Step("read", "Read the files")
NUMBER = Step("number", "Number the items")
CUT = Step("cut", "Cut into sets")
PLACE = Step("place", "Place the triples")
WRITE = Step("write", "Write the tables")
LOAD = Step("load", "Load Neo4j")
COMMIT = Step("commit", "Commit")


@dataclass(frozen=True)
class Check:
    """An additional step that compares the new generation with expected totals."""

    step: Step
    run: Callable[[Job, Commit], None]


@dataclass(frozen=True)
class JobResult:
    """The results of the steps that ran. If the input contained nothing new, ``commit`` is None."""

    read: ReadResult
    cut: CutResult | None = None
    placed: PlaceResult | None = None
    commit: Commit | None = None
    operations: int = 0
    """The number of ops whose description is new or has changed."""
    modules: int = 0
    """The number of modules whose declaration is new or has changed."""
    hubs: tuple[Hub, ...] = ()
    """Items that may join unrelated rows."""


def ingest_files(job: Job) -> JobResult:
    """Run all steps of an ingest; stop early if the input contains nothing new."""
    with job.step(READ):
        found = read(job)
    if is_empty(job, found):
        return JobResult(found)
    with job.step(NUMBER):
        numbered = number(job, found)
    return make_generation(job, found, numbered)


def is_empty(job: Job, found: ReadResult) -> bool:
    """Return whether the input lacks rows and descriptions and does not replace a run."""
    given = job.inputs
    nothing = not found.rows and not found.rejected and not (given.operations or given.modules)
    return bool(found.files) and nothing and job.inputs.run is None


def make_generation(
    job: Job, found: ReadResult, numbered: NumberResult, check: Check | None = None
) -> JobResult:
    """Run the steps from ``cut`` on, with ``check`` before the generation becomes current."""
    with job.step(CUT):
        pieces = cut(job, found, numbered)
    with job.step(PLACE):
        placed = place(job, found, numbered, pieces)
    if job.neo4j:
        job.neo4j.await_graph()  # may raise, so it is before all writes
    described = new_descriptions(job)
    if placed.is_empty and not found.rejected and not any(map(len, described.values())):
        return JobResult(found, pieces, placed, hubs=numbered.hubs)
    with job.step(WRITE):
        record = write(job, found, numbered, pieces, placed, described)
    if check:
        with job.step(check.step):
            check.run(job, record)
    with job.step(LOAD):
        loaded = load(job, record)
    with job.step(COMMIT):
        commit(job, loaded)
    modules = len(described[MODULES][MODULE].unique())
    operations = len(described[OPERATIONS])
    return JobResult(found, pieces, placed, record, operations, modules, numbered.hubs)
