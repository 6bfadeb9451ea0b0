"""Count the outcomes of a fuzzing target's inputs, and limit the growth of memory."""

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RECORD = "PROVHOUSE_FUZZ_RECORD"
"""The environment variable with the path of a file to which each target adds a line.

`make fuzz` sets this variable.
"""
GROWTH = 300 << 20
"""The number of bytes by which a process's peak memory may grow, whatever its inputs are."""


@contextmanager
def fuzzed(target: str, process: int | None = None) -> Iterator[Counter[str]]:
    """Yield a counter of a target's inputs by outcome. Fail if memory grows too much.

    ``process`` is the id of the process whose memory is measured, by default the current process.
    The counts are added to the file that the variable ``RECORD`` names, if it is set.
    """
    ends: Counter[str] = Counter()
    at_work = Path("/proc") / str(process or os.getpid())
    (at_work / "clear_refs").write_text("5")  # this resets the peak memory
    before = _peak(at_work)
    began = time.monotonic()
    yield ends
    seconds = time.monotonic() - began
    grown = _peak(at_work) - before
    print(f"{target}: {dict(ends)}, {grown >> 20} MiB more")
    assert grown < GROWTH, f"{target}: {grown:,} bytes more"
    if os.environ.get(RECORD):
        line = {
            "target": target,
            "inputs": ends.total(),
            "seconds": round(seconds, 1),
            "ends": dict(sorted(ends.items())),
            "grown_mib": grown >> 20,
        }
        with Path(os.environ[RECORD]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _peak(process: Path) -> int:
    """Return the peak memory of a process, in bytes."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", (process / "status").read_text(), re.MULTILINE)
    assert found, "/proc has no VmHWM"
    return int(found[1]) << 10
