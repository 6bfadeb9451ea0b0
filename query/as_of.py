"""Find the generation that a question is about: the current one, or that of a number or time."""

from datetime import datetime, time

from provhouse.model.errors import Damaged, NotFound
from provhouse.model.question import AsOf
from provhouse.model.times import parse_time
from provhouse.store.warehouse.commits import Commit, generations, nothing_stored, read_commit
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

_ALL = "Run `provhouse list generations` to list them all"


def commit_as_of(layout: Layout, as_of: AsOf | None = None) -> Commit:
    """Return the commit record of one generation; None means the current generation.

    An integer is the number of a generation, even one that was rolled back later. Any other string
    must be a time in ISO 8601, and selects the last generation that was committed at or before that
    time. A date stands for the end of that day, and a time without a time zone is local time.
    Raises UsageError if the string is neither a number nor a time, and NotFound if there is no such
    generation.
    """
    held = generations(layout)
    if not held:
        raise nothing_stored(layout)
    if as_of is None:
        return read_commit(layout, held[-1])
    if isinstance(as_of, int) or as_of.isdecimal():
        return _by_number(layout, held, int(as_of))
    return _by_time(layout, held, as_of)


def _by_number(layout: Layout, stored: list[int], number: int) -> Commit:
    if number not in stored:
        pruned = number and number <= _pruned(layout)
        raise NotFound(
            f"Generation {number} is not in this warehouse",
            f"It was pruned; {stored[0]} is the first generation kept"
            if pruned
            else f"There are {len(stored):,} generations, from {stored[0]} to {stored[-1]}",
            _ALL,
        )
    return read_commit(layout, number)


def _by_time(layout: Layout, stored: list[int], text: str) -> Commit:
    wanted = "A generation must be a number or a time in ISO 8601"
    then = parse_time(text, wanted, time.max)
    for number in reversed(stored):
        commit = read_commit(layout, number)
        if datetime.fromisoformat(commit.time) <= then:
            return commit
    first = f"generation {commit.generation}, was committed at {commit.time}"
    raise NotFound(
        f"No generation from {then.isoformat()} or earlier is in this warehouse",
        f"Earlier generations were pruned; the first one kept, {first}"
        if _pruned(layout)
        else f"The first one, {first}",
        _ALL,
    )


def _pruned(layout: Layout) -> int:
    """Return the last pruned generation; 0 if none was pruned or the ids cannot be read.

    Damaged ids do not raise an error here, because only an error message uses the result.
    """
    try:
        return read_ids(layout).pruned
    except Damaged:
        return 0
