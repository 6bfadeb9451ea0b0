"""Temporary files and folders of killed processes are removed by later processes."""

import fcntl
import tempfile
from pathlib import Path

import pytest

from provhouse.commit.writer_log import clear_logs
from provhouse.runtime.scratch import DEFECT, IN_USE, PREFIX, scratch
from provhouse.store.warehouse.layout import Layout


def test_only_folders_of_dead_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {name: tmp_path / f"{PREFIX}spark-{name}" for name in ("dead", "alive", "another's")}
    for name, path in folders.items():
        path.mkdir()
        if name != "another's":
            (path / IN_USE).touch()
    with (folders["alive"] / IN_USE).open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mine = scratch("spark")
        assert sorted(map(str, tmp_path.iterdir())) == sorted(
            [mine.name, str(folders["alive"]), str(folders["another's"])]
        )
        again = scratch("preview")
        assert Path(mine.name).exists()
    for folder in (mine, again):
        folder.cleanup()


def test_left_traceback_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traceback files of earlier processes are removed. Files with other names stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in (f"{DEFECT}1.txt", "defect-1.txt", f"{DEFECT}1.csv"):
        (tmp_path / name).touch()
    layout = Layout(tmp_path / "warehouse")
    layout.logs.mkdir(parents=True)
    clear_logs(layout)
    assert {path.name for path in tmp_path.iterdir()} == {
        "defect-1.txt", f"{DEFECT}1.csv", "warehouse",
    }  # fmt: skip
