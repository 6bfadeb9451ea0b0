"""The keeper notices a commit at once, not only when its next check is due."""

from pathlib import Path
from threading import Timer
from time import monotonic

import pytest

from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve import keeper
from provhouse.serve.keeper import Keeper


@pytest.mark.parametrize("first", [True, False])
def test_a_commit_ends_the_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    monkeypatch.setattr(keeper, "CHECK_SECONDS", 60)
    waiting = Keeper(Settings.load({"warehouse": tmp_path}), Silent())
    commits = waiting.layout.commits
    if not first:
        commits.mkdir()

    def commit() -> None:
        commits.mkdir(exist_ok=True)
        (commits / "1.json").write_text("{}")

    began = monotonic()
    before = waiting._commits_mark()
    timer = Timer(0.2, commit)
    timer.start()
    waiting._wait(before)
    timer.join()
    assert 0.1 < monotonic() - began < 10
