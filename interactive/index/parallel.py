"""Run compiled loops in parallel, one thread per part of the rows. The loops release the GIL."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import duckdb

LEAST = 1 << 17
"""The minimum number of rows of a part: with fewer, a thread costs more than it saves."""
Found = TypeVar("Found")


def threads(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of threads that DuckDB may use; these loops use as many."""
    ((number,),) = con.execute("select current_setting('threads')").fetchall()
    return int(number)


def divided(rows: int, most: int) -> list[slice]:
    """Divide the rows into at most ``most`` parts of about equal size, in order."""
    number = max(1, min(most, rows // LEAST))
    return [slice(*ends) for ends in pairwise(rows * at // number for at in range(number + 1))]


def in_parts(run: Callable[..., Found], *given: Sequence[Any]) -> list[Found]:
    """Return the result of ``run`` for each part, in order.

    Each sequence in ``given`` supplies one further argument of ``run``, with a value per part.
    """
    if len(given[0]) == 1:
        return list(map(run, *given))
    with ThreadPoolExecutor(len(given[0])) as pool:
        return list(pool.map(run, *given))
