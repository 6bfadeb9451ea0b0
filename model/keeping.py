"""The ages up to which generations and old versions of rows are kept, as users write them."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime, timedelta

from .errors import UsageError

_AGE = re.compile(r"([0-9]{1,5})([dwmy])")
_DAYS = {"d": 1, "w": 7}
_MONTHS = {"m": 1, "y": 12}


@dataclass(frozen=True)
class Keep:
    """The generations and the old versions of rows to keep."""

    generations: int | None = None
    """The number of generations to keep, if a number was given instead of an age."""
    since: datetime | None = None
    """Questions as of this time or a later time can still be answered."""
    versions_since: datetime | None = None
    """Old versions of rows written at this time or later are kept; None if all are kept."""


def keeping(text: str, now: datetime) -> Keep:
    """Convert a string such as ``3``, ``30d`` or ``30d,12m`` to what is kept at the time ``now``.

    The first part is about generations, the second about versions of rows. The units are days,
    weeks, months and years. Raises UsageError for any other string.
    """
    first, comma, second = (part.strip() for part in text.partition(","))
    versions = _before(second, now) if comma else None
    if first.isascii() and first.isdecimal() and int(first) and (versions or not comma):
        return Keep(generations=int(first), versions_since=versions)
    since = _before(first, now)
    if since is None or (comma and versions is None):
        raise UsageError(
            f"It is not clear what to keep: {text!r}",
            "It is neither a number of generations nor an age",
            "Write 3 for generations, 30d for generations of 30 days, or 30d,12m to keep old "
            "versions of rows for 12 months too; units are d, w, m and y",
        )
    return Keep(since=since, versions_since=versions)


def _before(age: str, now: datetime) -> datetime | None:
    """Return the time that is ``age`` before ``now``, or None if the string is not an age."""
    if not (found := _AGE.fullmatch(age)):
        return None
    number, unit = int(found[1]), found[2]
    try:
        if days := _DAYS.get(unit):
            return now - timedelta(days=days * number)
        months = now.year * 12 + now.month - 1 - _MONTHS[unit] * number
        year, month = divmod(months, 12)
        return now.replace(
            year=year, month=month + 1, day=min(now.day, monthrange(year, month + 1)[1])
        )
    except (ValueError, OverflowError):  # before the year 1
        return datetime.min.replace(tzinfo=now.tzinfo)
