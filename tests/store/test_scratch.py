"""What a killed process leaves among the temporary files goes with the next start of Spark."""

import fcntl
import tempfile
from pathlib import Path

import pytest

from provhouse.store.scratch import IN_USE, PREFIX, scratch


def test_only_what_nobody_uses_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {name: tmp_path / f"{PREFIX}{name}" for name in ("dead", "alive", "another's")}
    for name, path in folders.items():
        path.mkdir()
        if name != "another's":
            (path / IN_USE).touch()
    with (folders["alive"] / IN_USE).open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mine = scratch()
        assert sorted(map(str, tmp_path.iterdir())) == sorted(
            [mine.name, str(folders["alive"]), str(folders["another's"])]
        )
        again = scratch()
        assert Path(mine.name).exists()
    for folder in (mine, again):
        folder.cleanup()
