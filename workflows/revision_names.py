"""Names of revisions: ``tweets@r3`` is the third revision of the workflow ``tweets``."""

import re
from typing import NamedTuple

from provhouse.model.errors import UsageError

_NAME = re.compile(r"[^\s@/][^\s@]*")
_REVISION = re.compile(rf"({_NAME.pattern})@r([1-9]\d*)")


class RevisionName(NamedTuple):
    """The name of a revision: its workflow, and its number, counted from 1."""

    workflow: str
    number: int

    def __str__(self) -> str:
        return f"{self.workflow}@r{self.number}"


def revision_name(text: str) -> RevisionName:
    """Parse the name of a revision, such as ``tweets@r3``; raise UsageError if it is malformed."""
    found = _REVISION.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is not the name of a revision",
            "A revision is a workflow, @r and a number",
            "Name one as tweets@r3; `provhouse revisions list` shows them",
        )
    return RevisionName(found[1], int(found[2]))


def check_workflow(name: str) -> None:
    """Raise UsageError if a string is not a valid name of a workflow."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not the name of a workflow",
            "It is empty, or it has white space or @",
            "Use a name such as tweets or nightly/report",
        )
