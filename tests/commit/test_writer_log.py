"""The log of writers lists every writer and contains no names of items. It is never rewritten."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.commit import writer_log as logbook
from provhouse.commit.writer_log import writing
from provhouse.model.command import COMMAND
from provhouse.model.errors import BadInput, Unavailable
from provhouse.store.warehouse.commits import Commit, Totals, write_commit
from provhouse.store.warehouse.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "w")


def lines(layout: Layout) -> list[dict[str, object]]:
    text = (layout.logs / "writers.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def commit(layout: Layout, number: int) -> None:
    write_commit(layout, Commit(1, number, "c", "t", ((1, 1),), {}, Totals(7, 8)))


def test_a_writer_is_logged_with_user_and_result(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.7 5000 192.0.2.1 22")
    before = COMMAND.set("ingest")
    with writing(layout):
        commit(layout, 1)
    COMMAND.reset(before)
    begins, ends = lines(layout)
    assert (begins["event"], begins["generation"]) == ("begins", None)
    assert (ends["event"], ends["generation"], ends["outcome"]) == ("ends", 1, "done")
    assert begins["writer"] == ends["writer"]
    assert (begins["command"], begins["uid"], begins["address"]) == (
        "ingest", os.getuid(), "192.0.2.7",
    )  # fmt: skip
    totals = ends["totals"]
    assert isinstance(totals, dict)
    assert (totals["triples"], totals["items"]) == (7, 8)
    assert stat.S_IMODE((layout.logs / "writers.jsonl").stat().st_mode) == 0o600


def test_a_failure_is_logged_without_its_message(layout: Layout) -> None:
    with pytest.raises(BadInput), writing(layout):
        raise BadInput("Item 'SECRET' is not stored")
    with pytest.raises(ValueError, match="SECRET"), writing(layout):
        raise ValueError("SECRET")
    assert [line.get("outcome") for line in lines(layout)] == [
        None, "BadInput", None, "broken off",
    ]  # fmt: skip
    assert "SECRET" not in (layout.logs / "writers.jsonl").read_text()


def test_a_killed_writer_is_logged_as_begun(layout: Layout) -> None:
    kill = (
        "import os, pathlib, sys; from provhouse.commit.writer_log import writing; "
        "from provhouse.store.warehouse.layout import Layout\n"
        "with writing(Layout(pathlib.Path(sys.argv[1]))): os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", kill, str(layout.root)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [line["event"] for line in lines(layout)] == ["begins"]


def test_a_large_log_is_renamed_and_kept(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logbook, "FILE_BYTES", 1000)
    for _ in range(20):
        with writing(layout):
            pass
    files = sorted(layout.logs.glob("writers*.jsonl"))
    assert len(files) > 3
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert sum(len(file.read_text().splitlines()) for file in files) == 40


def test_a_symbolic_link_is_not_followed(layout: Layout, tmp_path: Path) -> None:
    layout.logs.mkdir(parents=True)
    other = tmp_path / "other"
    other.write_text("")
    (layout.logs / "writers.jsonl").symlink_to(other)
    with pytest.raises(Unavailable), writing(layout):
        pytest.fail("a writer went unlogged")
    assert other.read_text() == ""
    (layout.logs / "writers.jsonl").unlink()
    with writing(layout):  # the lock is free
        pass
