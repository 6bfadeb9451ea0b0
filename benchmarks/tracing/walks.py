"""Measure walks from some rows of a captured write."""

from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.tracing.form import Steps
from provhouse.tracing.cursor import Cursor
from provhouse.tracing.ids import Ids


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
    """Return a cursor at the first row of a table."""
    ((place, _),) = every.position.items()
    files = every.flow.numbers.files
    file = next(each for each in files if each.write == place.write and each.rows)
    return Cursor(every.flow, lambda: {place: Ids(np.array([file.first_id]))})


def first(cursor: Cursor, count: int, in_memory: bool = True) -> Cursor:
    """Return a cursor at the first rows of a cursor, whose ids are in memory or in a frame."""
    found = {}
    for place, ids in cursor.position.items():
        if in_memory and ids.held is not None:
            found[place] = Ids(ids.held[:count])
        elif in_memory:
            some = ids.frame.limit(count).toArrow()["id"]
            found[place] = Ids(np.unique(some))
        else:
            found[place] = Ids(make=partial(ids.to_frame(cursor.flow.spark).limit, count))
        break
    return Cursor(cursor.flow, lambda: found)


def anew(cursor: Cursor) -> Cursor:
    """Return a cursor at the same rows that has found nothing yet."""
    return Cursor(cursor.flow, lambda: cursor.position)


def shown(rows: Cursor) -> None:
    """Print the records of rows to nowhere."""
    with redirect_stdout(StringIO()):
        anew(rows).show()


def compared(
    ours: Callable[[], object], other: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Return the median times of two ways, which take turns after one run of each."""
    ours()
    other()
    times = [(timed(ours), timed(other)) for _ in range(repeats)]
    mine, theirs = zip(*times, strict=True)
    return round(median(mine), 4), round(median(theirs), 4)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    begun = perf_counter()
    work()
    return round(perf_counter() - begun, 4)
