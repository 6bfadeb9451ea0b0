"""Tasks open the files of the warehouse through one module, which decides how to open them."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from provhouse.runtime import storage

ROOT = Path(__file__).parent.parent.parent
IN_TASKS = (
    "care/restage.py",
    "ingest/staging.py",
    "ingest/steps/*.py",
    "query/reading/hashed_triples.py",
    "runtime/spark/tasks.py",
    "store/cache/*.py",
    "store/names/*.py",
    "store/tables/*.py",
)
"""The modules that contain tasks, or functions that tasks call with a path in the warehouse."""
ON_THE_DRIVER = (
    "ingest/steps/write.py",
    "store/cache/block_files.py",
    "store/tables/delta_recovery.py",
    "store/tables/delta_log.py",
    "store/tables/earlier_forms.py",
    "store/tables/pins.py",
    "store/tables/registry.py",
)
DELTA = "store/tables/delta_tables.py"
IN_MEMORY = "store/cache/triple_blocks.py"
"""A module whose Arrow streams consist of bytes in memory, not of files."""
OPENING = {
    "open", "memory_map", "OSFile", "new_stream", "open_stream", "new_file", "open_file",
    "ParquetFile", "ParquetWriter", "read_table", "pq.write_table", "read_metadata",
    "np.load", "np.save", "np.savez", "memmap", "open_memmap", "fromfile", "tofile",
    "read_text", "read_bytes", "write_text", "write_bytes",
    "stat", "exists", "is_file", "is_dir", "glob", "rglob", "iterdir", "listdir", "DeltaTable",
}  # fmt: skip
"""The functions and methods that open files, list them, or read their properties."""


def calls(module: Path) -> Iterator[str]:
    """Yield each call of a function in ``OPENING``, with the line of the call."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if {name, name.rpartition(".")[2]} & OPENING:
                yield f"{module.relative_to(ROOT)}:{node.lineno} calls {name}"


def test_modules_of_tasks_open_no_file_themselves() -> None:
    modules = [path for pattern in IN_TASKS for path in sorted(ROOT.glob(pattern))]
    assert len(modules) > 30
    excepted = {ROOT / name for name in (*ON_THE_DRIVER, DELTA, IN_MEMORY)}
    found = [call for module in modules if module not in excepted for call in calls(module)]
    assert found == []


def test_every_exception_is_needed() -> None:
    for name in (*ON_THE_DRIVER, DELTA, IN_MEMORY):
        assert [*calls(ROOT / name)]


@pytest.mark.parametrize("fallback", [False, True])
def test_disk_space_is_allocated_on_every_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fallback: bool
) -> None:
    if fallback:
        monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "array.npy"
    array = storage.create_array(path, np.int64, (400_000,))
    assert path.stat().st_blocks * 512 >= path.stat().st_size > 3_200_000
    assert not array.any()
    assert storage.open_array(path).shape == (400_000,)


def test_a_mark_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert storage.file_mark(path) is None
    path.write_bytes(b"a")
    first = storage.file_mark(path)
    path.unlink()
    path.write_bytes(b"ab")
    assert first is not None
    assert storage.file_mark(path) not in (None, first)
