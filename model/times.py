"""Times as people give them."""

from datetime import date, datetime, time

from .errors import UsageError


def parse_time(text: str, wanted: str, day: time) -> datetime:
    """The time that a text in ISO 8601 names, in its own zone or the local one.

    Of a date, ``day`` is the time that is meant. Raises UsageError, saying what was ``wanted``.
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
            f"It is {text!r}",
            "Times look like 2026-03-31, 2026-03-31T17:00 or 2026-03-31T15:00:00Z",
        ) from error
