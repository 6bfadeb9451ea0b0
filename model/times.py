"""Dates and times as people write them."""

from datetime import date, datetime, time

from .errors import UsageError


def parse_time(text: str, wanted: str, day: time) -> datetime:
    """Convert a string in ISO 8601 to a time, which is local if the string has no time zone.

    A date without a time gets the time of day ``day``. Raises UsageError with ``wanted`` as its
    first part if the string is not a time.
    """
    try:
        try:
            named = datetime.combine(date.fromisoformat(text), day)
        except ValueError:
            named = datetime.fromisoformat(text)
        return named if named.tzinfo else named.astimezone()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            wanted,
            f"{text!r} is not a time",
            "Write a time like 2026-03-31, 2026-03-31T17:00 or 2026-03-31T15:00:00Z",
        ) from error
