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

_armed: tuple[str, str, int] | None = None
_count = 0


def arm(text: str) -> None:
    """Take a fault as the environment names it; an empty text takes none."""
    global _armed, _count
    name, _, what = text.partition("=")
    action, _, times = what.partition("@")
    _armed, _count = (name, action, int(times or 1)) if name else None, 0


def reach(name: str) -> None:
    """Be at a place; raises OSError where its disk shall be full."""
    global _count
    if _armed is None or _armed[0] != name:
        return
    _count += 1
    if _count == _armed[2]:
        if _armed[1] == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        os.kill(os.getpid(), signal.SIGSTOP)


arm(os.environ.get(VARIABLE, ""))
