"""Measure walks that start from given rows of a captured write."""

from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from statistics import median
from time import perf_counter
from typing import TypedDict

import numpy as np

from benchmarks.shared.results_file import ResultsFile, Run
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.cursor_ids import CursorIds


class Steps(TypedDict):
    """Seconds to walk from one row, or 1,000 rows, to the sources and back, and to show records.

    The clock starts when the rows are selected by a condition, and stops when the number of found
    rows is known.
    """

    back: float
    back_1000: float
    forth: float
    forth_1000: float
    show: float


class Through(Steps):
    """Walks through one program of `traced_programs.py`."""

    program: str
    interface: str
    size: float
    """The size of the text that the program reads, in gigabytes."""
    witnesses: int
    """The number of source rows that one row of the result derives from."""
    memory_mb: int
    """The growth of this process's memory during the walks."""


class Walk(Steps):
    """Seconds to walk the lineage of one query, and how many rows were found."""

    query: str
    witnesses: int
    """The number of source rows that one row of the result derives from."""
    cold: float
    """The seconds of the first walk from one row to its sources, in the session of the job."""
    warehouse: float
    """The seconds in which the warehouse's server answers a question for the row's lineage."""
    memory_mb: int
    """The growth of this process's memory while all rows of the result are walked back."""


class Again(TypedDict):
    """Seconds of a replay that leaves out one record, and of a run on the table without it."""

    query: str
    replay: float
    reduced: float
    equal: bool


class Fault(TypedDict):
    """The search for the smallest failing input of one planted fault."""

    program: str
    operators: int
    fault: str
    lineage: int
    found: int
    replays: int
    seconds: float
    minimal: bool


class Results(Run):
    """The results of all parts at one scale factor."""

    code: str
    """A digest of the code that was measured."""
    data: str
    scale: str
    repeats: int
    fault_rows: int
    walks: list[Walk]
    replays: list[Again]
    programs: list[Through]
    faults: list[Fault]


RESULTS: ResultsFile[dict[str, Results]] = ResultsFile("tracing.json")
"""The results by scale factor."""


def walked(every: Cursor, repeats: int) -> Steps:
    """Return the times of walks from the first rows of a table to its sources, and back again."""
    row, thousand = one(every), first(every, 1000)
    sources = row.go_back_all()
    some, many = first(sources, 1), first(thousand.go_back_all(), 1000)

    def middle(work: Callable[[], object]) -> float:
        return round(median(timed(work) for _ in range(repeats)), 4)

    return {
        "back": middle(lambda: anew(row).go_back_all().count()),
        "back_1000": middle(lambda: anew(thousand).go_back_all().count()),
        "forth": middle(lambda: anew(some).go_next_all().count()),
        "forth_1000": middle(lambda: anew(many).go_next_all().count()),
        "show": middle(partial(shown, sources)),
    }


def one(every: Cursor) -> Cursor:
    """Return a cursor on the first row of a table."""
    ((place, _),) = every.position.items()
    files = every.flow.numbers.files
    file = next(each for each in files if each.write == place.write and each.rows)
    return Cursor(every.flow, lambda: {place: CursorIds(np.array([file.first_id]))})


def first(cursor: Cursor, count: int, in_memory: bool = True) -> Cursor:
    """Return a new cursor on a cursor's first rows, which keeps ids in memory or in a frame."""
    found = {}
    for place, ids in cursor.position.items():
        if in_memory and ids.held is not None:
            found[place] = CursorIds(ids.held[:count])
        elif in_memory:
            some = ids.frame.limit(count).toArrow()["id"]
            found[place] = CursorIds(np.unique(some))
        else:
            found[place] = CursorIds(make=partial(ids.to_frame(cursor.flow.spark).limit, count))
        break
    return Cursor(cursor.flow, lambda: found)


def anew(cursor: Cursor) -> Cursor:
    """Return a cursor on the same rows, without any cached results."""
    return Cursor(cursor.flow, lambda: cursor.position)


def shown(rows: Cursor) -> None:
    """Show the records of rows, and discard the output."""
    with redirect_stdout(StringIO()):
        anew(rows).show()


def compared(
    ours: Callable[[], object], other: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Return the median times of two functions. They take turns, after one warm-up run of each."""
    ours()
    other()
    times = [(timed(ours), timed(other)) for _ in range(repeats)]
    mine, theirs = zip(*times, strict=True)
    return round(median(mine), 4), round(median(theirs), 4)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a function takes."""
    begun = perf_counter()
    work()
    return round(perf_counter() - begun, 4)
