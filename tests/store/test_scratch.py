"""What a killed process leaves among the temporary files goes with the next start of Spark."""

import fcntl
import tempfile
from pathlib import Path

import pytest

from provhouse.store import spark


def test_only_what_nobody_uses_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {name: tmp_path / f"{spark.SCRATCH}{name}" for name in ("dead", "alive", "another's")}
    for name, folder in folders.items():
        folder.mkdir()
        if name != "another's":
            (folder / spark.IN_USE).touch()
    with (folders["alive"] / spark.IN_USE).open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mine = spark._scratch()
        assert sorted(map(str, tmp_path.iterdir())) == sorted(
            [mine.name, str(folders["alive"]), str(folders["another's"])]
        )
        again = spark._scratch()
        assert Path(mine.name).exists()
    for scratch in (mine, again):
        scratch.cleanup()
