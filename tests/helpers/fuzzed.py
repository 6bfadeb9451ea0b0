"""A target of fuzzing: counts how its inputs end, and records that if a file for it is named."""

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RECORD = "PROVHOUSE_FUZZ_RECORD"
"""The environment variable with the file to which each target adds a line, set by `make fuzz`."""
GROWTH = 300 << 20
"""Bytes by which the process at work may grow, for any inputs."""


@contextmanager
def fuzzed(target: str, process: int | None = None) -> Iterator[Counter[str]]:
    """Yield a counter of the inputs of a target by outcome, and bound the growth of memory.

    ``process`` is the id of the process at work, by default the current one.
    """
    ends: Counter[str] = Counter()
    at_work = Path("/proc") / str(process or os.getpid())
    (at_work / "clear_refs").write_text("5")  # resets the peak
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
