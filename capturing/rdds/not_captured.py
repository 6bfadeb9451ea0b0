"""Refuse what the capture of RDDs does not cover."""

from provhouse.model.errors import UsageError


def refusal(problem: str, found: str, remedy: str) -> UsageError:
    """Return the error, which is raised in blocks with ``on_unsupported="plain"`` as well.

    Spark has not begun to write. An RDD that left the block without its lineage could be saved
    without anything that notes it.
    """
    return UsageError(problem, found, f"{remedy}. on_unsupported='plain' does not cover RDDs")
