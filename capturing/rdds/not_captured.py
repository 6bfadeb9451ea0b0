"""Refuse methods and files that the capture of RDDs does not cover."""

from provhouse.model.errors import UsageError


def refusal(problem: str, found: str, remedy: str) -> UsageError:
    """Return the error, which blocks with ``on_unsupported="plain"`` raise as well.

    Spark has not begun to write. An RDD that left the block without its lineage could be saved
    unnoticed.
    """
    return UsageError(problem, found, f"{remedy}. on_unsupported='plain' does not cover RDDs")
