"""Places where tests stop a command, or fill its disk, to see what it leaves behind.

Each place calls ``reach`` with its name. That does nothing unless the environment named a place
when the command began: ``PROVHOUSE_FAULT=NAME=stop`` lets the process stop itself there, as SIGSTOP
does, so that a test can kill it or whatever it works with; ``NAME=full`` fails as a full disk does.
``NAME=stop@3`` is the third time that it comes there.
"""

import errno
import os
import signal

VARIABLE = "PROVHOUSE_FAULT"
POINTS = (
    # a command begins
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
    # a step of an ingest or a compaction has ended
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
    # within Spark's workers
    "rows staged",
    "partition staged",
    # what is made lasting
    "ids aside",
    "ids taken",
    "names moved",
    "partition moved",
    "partitions moved",
    "rows written",
    "log appended",
    "table synced",
    "batch unwritten",
    "batch written",
    "mark unwritten",
    "mark written",
    "record unwritten",
    "record aside",
    "record linked",
    "ids finished",
    "announced",
    # a prune
    "record dropped",
    # an erasure
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
    "logs cleared",
    "Neo4j discarded",
    "Neo4j wiped",
    "Neo4j made anew",
    # a repair
    "ingest repaired",
    "marks repaired",
)
"""All names, about in the order in which commands come to them."""


class _Fault:
    """The one fault of this process.

    It is process-wide because only the environment reaches Spark's workers and every place that
    calls ``reach``; an object could not be passed that far.
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
    """Take a fault as the environment names it; an empty text takes none."""
    _fault.arm(text)


def reach(name: str) -> None:
    """Be at a place; raises OSError where its disk shall be full."""
    _fault.reach(name)
