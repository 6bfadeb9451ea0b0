"""The steps of an ingest, in order; what each stages and returns is what the next ones take.

The order of what is made lasting is the warehouse's promise: Delta tables, then Neo4j, then the
commit record. A crash before the record leaves only what the next writer removes, and in Neo4j
additional sets and dependencies, which are never wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass

from provhouse.store.warehouse.commits import Commit

from ..job import Job, Step
from .commit import commit
from .cut import CutResult, cut
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
    """A step that another kind of job adds: it compares what was written with what should be."""

    step: Step
    run: Callable[[Job, Commit], None]


@dataclass(frozen=True)
class JobResult:
    """What came of a job; there is no commit where it brought nothing new."""

    read: ReadResult
    cut: CutResult | None = None
    placed: PlaceResult | None = None
    commit: Commit | None = None


def ingest_files(job: Job) -> JobResult:
    """Go through all steps."""
    with job.step(READ):
        found = read(job)
    if is_empty(job, found):
        return JobResult(found)
    with job.step(NUMBER):
        numbered = number(job, found)
    return make_generation(job, found, numbered)


def is_empty(job: Job, found: ReadResult) -> bool:
    """Whether files were read and there is nothing in them to be kept or to be ended."""
    nothing = not found.rows and not found.rejected
    return bool(found.files) and nothing and job.inputs.run is None


def make_generation(
    job: Job, found: ReadResult, numbered: NumberResult, check: Check | None = None
) -> JobResult:
    """Go through the steps after numbering, with a check before anything becomes current."""
    with job.step(CUT):
        pieces = cut(job, found, numbered)
    with job.step(PLACE):
        placed = place(job, found, numbered, pieces)
    if placed.is_empty and not found.rejected:
        return JobResult(found, pieces, placed)
    with job.step(WRITE):
        record = write(job, found, numbered, pieces, placed)
    if check:
        with job.step(check.step):
            check.run(job, record)
    with job.step(LOAD):
        loaded = load(job, record)
    with job.step(COMMIT):
        commit(job, loaded)
    return JobResult(found, pieces, placed, record)
