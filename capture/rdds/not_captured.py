"""Refuse methods and files that the capture of RDDs does not cover."""

from provhouse.model.errors import UsageError


def refusal(problem: str, found: str, remedy: str) -> UsageError:
    """Return the error, which blocks with ``on_unsupported="plain"`` raise as well.

    Spark has not begun to write. If an RDD left the block without its lineage, no record would show
    that it was saved without.
    """
    return UsageError(problem, found, f"{remedy}. on_unsupported='plain' does not cover RDDs")
