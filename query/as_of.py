"""Which generation is asked: the current one, that of a number, or that of a time."""

from datetime import datetime, time

from provhouse.model.errors import Damaged, NotFound
from provhouse.model.question import AsOf
from provhouse.model.times import parse_time
from provhouse.store.warehouse.commits import Commit, generations, nothing_stored, read_commit
from provhouse.store.warehouse.ids import read_ids
from provhouse.store.warehouse.layout import Layout

_ALL = "`provhouse generations` lists them all"


def commit_as_of(layout: Layout, as_of: AsOf | None = None) -> Commit:
    """The record of one generation; None is the current one.

    A whole number is a generation, also one that was taken back since: it was current then. Other
    text is a time in ISO 8601 and means the last generation committed at or before it; a date means
    the end of that day, and what names no zone is local time. Raises UsageError for text that is
    neither, NotFound where there is no such generation.
    """
    held = generations(layout)
    if not held:
        raise nothing_stored(layout)
    if as_of is None:
        return read_commit(layout, held[-1])
    if isinstance(as_of, int) or as_of.isdecimal():
        return _by_number(layout, held, int(as_of))
    return _by_time(layout, held, as_of)


def _by_number(layout: Layout, held: list[int], number: int) -> Commit:
    if number not in held:
        pruned = number and number <= _pruned(layout)
        raise NotFound(
            f"Generation {number} should be one that is kept",
            f"It was pruned; {held[0]} is the first that is kept"
            if pruned
            else f"There are {len(held):,}, from {held[0]} to {held[-1]}",
            _ALL,
        )
    return read_commit(layout, number)


def _by_time(layout: Layout, held: list[int], text: str) -> Commit:
    wanted = "A generation should be named by its number, or by a time in ISO 8601"
    then = parse_time(text, wanted, time.max)
    for number in reversed(held):
        commit = read_commit(layout, number)
        if datetime.fromisoformat(commit.time) <= then:
            return commit
    first = f"generation {commit.generation}, came at {commit.time}"
    raise NotFound(
        f"A generation should have been committed by {then.isoformat()}",
        f"What was there then was pruned; the first that is kept, {first}"
        if _pruned(layout)
        else f"The first one, {first}",
        _ALL,
    )


def _pruned(layout: Layout) -> int:
    """The last generation that was pruned; a question goes without ids that cannot be read."""
    try:
        return read_ids(layout).pruned
    except Damaged:
        return 0
