"""Process parts of the rows in parallel: the compiled loops release the interpreter's lock."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

Result = TypeVar("Result")
Part = TypeVar("Part")
THREADS = min(4, len(os.sched_getaffinity(0)))
BLOCK = 1 << 15
"""The number of rows per call of a loop: so few that the results stay in the processor's cache."""


def blocks(first: int, end: int) -> Iterator[slice]:
    """Divide the rows from ``first`` to ``end`` into slices of up to ``BLOCK`` rows."""
    for at in range(first, end, BLOCK):
        yield slice(at, min(end, at + BLOCK))


def parts(rows: int) -> list[tuple[int, int]]:
    """Return the bounds of the part of the rows for each thread. Few rows form a single part."""
    number = THREADS if rows > 4 * BLOCK else 1
    cuts = [rows * part // number for part in range(number + 1)]
    return list(pairwise(cuts))


def at_once(work: Callable[[Part], Result], of: Sequence[Part]) -> list[Result]:
    """Return the result of ``work`` for each part, computed in parallel."""
    if len(of) < 2:
        return [work(part) for part in of]
    return list(_pool().map(work, of))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="crossfilter")
