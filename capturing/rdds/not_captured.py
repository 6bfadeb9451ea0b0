"""Refuse methods and files that the capture of RDDs does not cover."""

from provhouse.model.errors import UsageError


def refusal(problem: str, found: str, remedy: str) -> UsageError:
    """Return the error for a method or a file that the capture of RDDs does not cover.

    The error is raised even in blocks with ``on_unsupported="plain"``, because an RDD without
    lineage could otherwise be saved unnoticed. When the error is raised, Spark has not begun to
    write.
    """
    return UsageError(problem, found, f"{remedy}. on_unsupported='plain' does not cover RDDs")
