"""Free memory respects a container's limit, in both versions of control groups."""

from pathlib import Path

import psutil
import pytest

from provhouse.runtime.free_memory import free_memory

MEGABYTE = 1 << 20
UNLIMITED = 9223372036854771712
"""The limit that version 1 reports for a group without a limit."""


def system(root: Path, own: str) -> Path:
    """Write ``/proc/self/cgroup`` with the lines ``own`` below a root folder; return the root."""
    write(root / "proc/self/cgroup", own)
    return root


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{content}\n")


def group_1(folder: Path, limit: int, usage: int, cached: int = 0) -> None:
    """Write the files of a control group of version 1."""
    write(folder / "memory.limit_in_bytes", limit)
    write(folder / "memory.usage_in_bytes", usage)
    write(folder / "memory.stat", f"inactive_file 5\ntotal_inactive_file {cached}")


def group_2(folder: Path, limit: int | str, usage: int, cached: int = 0) -> None:
    """Write the files of a control group of version 2."""
    write(folder / "memory.max", limit)
    write(folder / "memory.current", usage)
    write(folder / "memory.stat", f"anon 5\ninactive_file {cached}")


def test_a_limit_of_version_2(tmp_path: Path) -> None:
    root = system(tmp_path, "0::/")
    group_2(root / "sys/fs/cgroup", 100 * MEGABYTE, 40 * MEGABYTE, 10 * MEGABYTE)
    assert free_memory(root) == 70 * MEGABYTE


def test_a_limit_of_version_1_whose_path_only_the_machine_knows(tmp_path: Path) -> None:
    root = system(tmp_path, "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/")
    group_1(root / "sys/fs/cgroup/memory", 100 * MEGABYTE, 40 * MEGABYTE, 10 * MEGABYTE)
    assert free_memory(root) == 70 * MEGABYTE


def test_the_strictest_limit_counts(tmp_path: Path) -> None:
    root = system(tmp_path, "0::/outer/inner")
    group_2(root / "sys/fs/cgroup/outer", 50 * MEGABYTE, MEGABYTE)
    group_2(root / "sys/fs/cgroup/outer/inner", "max", 0)
    assert free_memory(root) == 49 * MEGABYTE


def test_a_group_above_its_limit_has_no_free_memory(tmp_path: Path) -> None:
    root = system(tmp_path, "0::/")
    group_2(root / "sys/fs/cgroup", 1, 2)
    assert free_memory(root) == 0


@pytest.mark.parametrize("own", ["0::/", "4:memory:/", ""])
def test_without_a_limit_the_machine_counts(tmp_path: Path, own: str) -> None:
    root = system(tmp_path, own)
    group_1(root / "sys/fs/cgroup/memory", UNLIMITED, 0)
    group_2(root / "sys/fs/cgroup", "max", 0)
    assert free_memory(root) == pytest.approx(psutil.virtual_memory().available, rel=0.2)


def test_this_system_has_free_memory() -> None:
    assert 0 < free_memory() <= psutil.virtual_memory().total
