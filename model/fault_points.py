"""Fault points: named places where a test can stop a command or make its disk seem full.

A command calls ``reach`` with the name of each point it passes. The call does nothing unless the
environment armed that point when the command started. ``PROVHOUSE_FAULT=NAME=stop`` makes the
process send itself SIGSTOP, so that a test can kill it or a process it depends on;
``PROVHOUSE_FAULT=NAME=full`` makes it fail as on a full disk. ``NAME=stop@3`` acts the third time
that the process reaches the point.
"""

import errno
import os
import signal

VARIABLE = "PROVHOUSE_FAULT"
POINTS = (
    # a command starts
    "lock held",
    "staging removed",
    "base removed",
    "table taken back",
    "names dropped",
    "Neo4j configured",
    "Neo4j spawned",
    "Neo4j up",
    "import begun",
    "import written",
    "import complete",
    # the end of each step of an ingest or a compaction
    "begun",
    "read",
    "number",
    "stage",
    "cut",
    "place",
    "verify",
    "write",
    "load",
    "commit",
    # in Spark's workers
    "rows staged",
    "partition staged",
    # writing to disk and to Neo4j
    "ids aside",
    "ids taken",
    "names moved",
    "partition moved",
    "partitions moved",
    "rows written",
    "log appended",
    "files merged",
    "table synced",
    "batch unwritten",
    "batch written",
    "mark unwritten",
    "mark written",
    "record unwritten",
    "record aside",
    "record linked",
    "registered rows written",
    "registered rows published",
    "ids finished",
    "announced",
    "result written",
    # a prune
    "record dropped",
    "merged file removed",
    # an erasure
    "results erased",
    "rejects cleared",
    "erasure aside",
    "erasure written",
    "erased unwritten",
    "erased written",
    "ops cleared",
    "file rewritten",
    "hint removed",
    "checkpoint removed",
    "links cleared",
    "segment rewritten",
    "look-up rewritten",
    "look-up switched",
    "row ids rewritten",
    "logs cleared",
    "Neo4j discarded",
    "Neo4j wiped",
    "Neo4j made anew",
    # a repair
    "ingest repaired",
    "marks repaired",
)
"""The names of all points, roughly in the order that commands reach them."""


class _Fault:
    """The armed fault of this process, if there is one.

    One object serves the whole process because code in many places calls ``reach``. Spark's workers
    call it too, and get the fault from their environment.
    """

    def __init__(self, text: str = "") -> None:
        self.arm(text)

    def arm(self, text: str) -> None:
        self._name, _, what = text.partition("=")
        self._action, _, times = what.partition("@")
        self._left = int(times or 1)

    def reach(self, name: str) -> None:
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            if self._action == "full":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
            os.kill(os.getpid(), signal.SIGSTOP)


_fault = _Fault(os.environ.get(VARIABLE, ""))


def arm(text: str) -> None:
    """Arm the fault that a string such as ``NAME=stop@3`` describes; an empty string disarms it."""
    _fault.arm(text)


def reach(name: str) -> None:
    """Act if the point with this name is armed: stop, or raise OSError as if the disk were full."""
    _fault.reach(name)
