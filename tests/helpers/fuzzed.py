"""A target of fuzzing: what became of its inputs, told, and recorded if somebody asks for it."""

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RECORD = "PROVHOUSE_FUZZ_RECORD"
"""The variable that names a file to which each target adds a line, as `make fuzz` wants it."""
GROWTH = 300 << 20
"""Bytes by which the process at work may grow, whatever it is given."""


@contextmanager
def fuzzed(target: str, process: int | None = None) -> Iterator[Counter[str]]:
    """Around all inputs of a target: counts them by how they ended, and bounds the memory.

    ``process`` is the one at work, if it is not this one.
    """
    ends: Counter[str] = Counter()
    at_work = Path("/proc") / str(process or os.getpid())
    (at_work / "clear_refs").write_text("5")  # its peak is counted from here on
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
    """The most memory that a process had at once, in bytes."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", (process / "status").read_text(), re.MULTILINE)
    assert found, "Linux should tell it"
    return int(found[1]) << 10
