"""`provhouse doctor` reports each missing requirement with its remedy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.cli.commands.doctor import _bytes, _judged
from provhouse.model.errors import Unavailable


def doctor(warehouse: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `provhouse doctor`."""
    code = "from provhouse.cli.app import main; main()"
    arguments = ["--warehouse", str(warehouse), "doctor"]
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.mark.long
def test_nothing_is_missing_on_the_test_machine(tmp_path: Path) -> None:
    done = doctor(tmp_path / "w")
    assert done.returncode == 0, done.stdout
    rows = [line.split()[:2] for line in done.stdout.splitlines()]
    for what in ("Java", "jars", "disk", "memory", "ports"):
        assert [what, "ok"] in rows
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("what", "name", "value", "remedy"),
    [
        ("Java", "JAVA_HOME", "/nowhere", "JAVA_HOME"),
        ("jars", "XDG_CACHE_HOME", "/nowhere", "provhouse doctor --fetch"),
    ],
)
def test_a_missing_requirement_is_reported_with_its_remedy(
    what: str, name: str, value: str, remedy: str, tmp_path: Path
) -> None:
    done = doctor(tmp_path, COLUMNS="200", **{name: value})
    assert done.returncode == 5
    assert [what, "missing"] in [line.split()[:2] for line in done.stdout.splitlines()]
    assert remedy in done.stdout
    assert done.stderr == ""


def test_an_unwritable_warehouse_is_reported() -> None:
    done = doctor(Path("/proc/warehouse"))
    assert done.returncode == 5
    assert ["disk", "missing"] in [line.split()[:2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("heap", "size"), [("1g", 2**30), ("512M", 2**29), ("1024", 1024), ("much", 0), ("", 0)]
)
def test_heap_sizes_are_read(heap: str, size: int) -> None:
    assert _bytes(heap) == size


def test_memory_for_a_small_warehouse_is_enough() -> None:
    assert _judged(9 * 10**9, 5 * 10**9).startswith("9.0 GB free, large warehouses")
    assert "enough for small warehouses" in _judged(10**9, 5 * 10**9)
    with pytest.raises(Unavailable, match="at least 1 GB"):
        _judged(10**9 - 1, 5 * 10**9)


@pytest.mark.long
def test_heaps_beyond_the_memory_are_not_missing(tmp_path: Path) -> None:
    done = doctor(tmp_path, COLUMNS="200", PROVHOUSE_SPARK_MEMORY="99999g")
    assert done.returncode == 0
    assert "spark_memory" in done.stdout
