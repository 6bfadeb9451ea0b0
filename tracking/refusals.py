"""The error for an operation whose lineage is not tracked."""

from provhouse.model.errors import UsageError


class NotTracked(UsageError, AttributeError):
    """An operation whose lineage provhouse does not track; the frame is unchanged.

    It is an AttributeError too, so that ``hasattr`` works.
    """


PLAIN = "Use to_pandas() for the plain data, which has no lineage, and track() for its result"


def untracked(what: str, why: str = "", remedy: str = PLAIN) -> NotTracked:
    """Return the error for an operation."""
    return NotTracked(f"The lineage of {what} is not tracked", why, remedy)
