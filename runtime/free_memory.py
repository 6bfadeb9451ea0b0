"""Measure the memory that is free for programs, also inside a container with a limit.

psutil returns the free memory of the entire machine. Linux limits the memory of a container by
control groups (cgroups, version 1 or 2), which psutil does not read. Therefore this module reads
their files. The kernel's documentation describes them: admin-guide/cgroup-v1/memory.rst and
cgroup-v2.rst.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class _Version:
    """The file and field names of one version of control groups."""

    folder: str
    limit: str
    usage: str
    cached: str
    """The field of ``memory.stat`` that counts the cached pages which the kernel frees first."""


_ONE = _Version(
    "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
)  # fmt: skip
_TWO = _Version("", "memory.max", "memory.current", "inactive_file")


def free_memory(root: Path = Path("/")) -> int:
    """Return the number of bytes of memory that programs can still use.

    The result is the free memory of the machine, or less if a control group limits this process.
    ``root`` is the folder with the system's folders ``proc`` and ``sys``.
    """
    return max(min([psutil.virtual_memory().available, *_free_under_limits(root)]), 0)


def _free_under_limits(root: Path) -> Iterator[int]:
    """Yield, for each memory limit on this process, the number of bytes that it still allows."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in filter(None, lines):
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        version = _ONE if controllers else _TWO
        top = root / "sys/fs/cgroup" / version.folder
        # A container may see only its own group. The group is then the top, whatever its path.
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(top):
                yield from _left(folder, version)


def _left(folder: Path, version: _Version) -> Iterator[int]:
    """Yield the number of bytes that a control group still allows, if the group has a limit."""
    try:
        limit = (folder / version.limit).read_text().strip()
        usage = int((folder / version.usage).read_text())
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except OSError:
        return
    if limit != "max":
        yield int(limit) - usage + int(stat.get(version.cached, 0))
