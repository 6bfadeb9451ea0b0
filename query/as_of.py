"""Which generation is asked: the current one, that of a number, or that of a time."""

from datetime import date, datetime, time

from provhouse.model.errors import NotFound, UsageError
from provhouse.store.commits import Commit, generations, read_commit
from provhouse.store.layout import Layout

from .question import AsOf

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
        raise NotFound(
            f"A warehouse should be at {layout.root}",
            "Nothing was ingested there",
            "Name another with --warehouse, or take in files with `provhouse ingest FILES…`",
        )
    if as_of is None:
        return read_commit(layout, held[-1])
    if isinstance(as_of, int) or as_of.isdecimal():
        return _by_number(layout, held, int(as_of))
    return _by_time(layout, held, as_of)


def _by_number(layout: Layout, held: list[int], number: int) -> Commit:
    if number not in held:
        raise NotFound(
            f"Generation {number} should be one that was committed",
            f"There are {len(held):,}, from {held[0]} to {held[-1]}",
            _ALL,
        )
    return read_commit(layout, number)


def _by_time(layout: Layout, held: list[int], text: str) -> Commit:
    moment = _moment(text)
    for number in reversed(held):
        commit = read_commit(layout, number)
        if datetime.fromisoformat(commit.time) <= moment:
            return commit
    raise NotFound(
        f"A generation should have been committed by {moment.isoformat()}",
        f"The first one, generation {commit.generation}, came at {commit.time}",
        _ALL,
    )


def _moment(text: str) -> datetime:
    """The time that a text names, in its own zone or the local one."""
    try:
        try:
            named = datetime.combine(date.fromisoformat(text), time.max)
        except ValueError:
            named = datetime.fromisoformat(text)
        return named if named.tzinfo else named.astimezone()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            "A generation should be named by its number, or by a time in ISO 8601",
            f"It is {text!r}",
            "Times look like 2026-03-31, 2026-03-31T17:00 or 2026-03-31T15:00:00Z",
        ) from error
