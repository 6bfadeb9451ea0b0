"""The error for an operation whose lineage is not tracked."""

from provhouse.model.errors import UsageError


class NotTracked(UsageError, AttributeError):
    """Raised for an operation whose lineage provhouse does not track. The frame is unchanged.

    The class also derives from AttributeError, so that ``hasattr`` works.
    """


PLAIN = "Use to_pandas() for the plain data, which has no lineage, and track() for its result"


def untracked(what: str, why: str = "", remedy: str = PLAIN) -> NotTracked:
    """Return the error for an operation that is not tracked."""
    return NotTracked(f"The lineage of {what} is not tracked", why, remedy)
