"""The demo as a user starts it, on three days and without a terminal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "examples" / "flights" / "run.py"
SLICE = ("--first", "2013-02-11", "--last", "2013-02-13")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def first(folder: Path, graph_home: Path) -> "subprocess.CompletedProcess[str]":
    return _demo(folder, graph_home)


def test_it_tells_what_the_triples_say(first: "subprocess.CompletedProcess[str]") -> None:
    assert first.returncode == 0, first.stderr
    told = " ".join(first.stdout.split())
    # Worked out from the triples of these days with a dictionary and a loop.
    assert "report/windiest-day/EWR comes from 1,623 rows of 11 tables, over 2,091 steps" in told
    assert "22 weather readings" in told
    assert "weather/EWR/2013-02-12T03 says 1,048.4 mph" in told
    assert "weather/EWR/2013-02-12T03 reached 250 rows of 10 tables" in told
    assert re.search(r"csprov +[\d,]+ +[\d,]+ +[\d,]+ ", first.stdout)
    assert "All three name the same 1,623 rows" in told


def test_a_pipe_gets_neither_colour_nor_bars(first: "subprocess.CompletedProcess[str]") -> None:
    assert "\x1b" not in first.stdout + first.stderr
    assert "\r" not in first.stdout + first.stderr
    assert len(first.stderr.splitlines()) < 5, first.stderr


def test_a_second_run_finds_everything_there(
    first: "subprocess.CompletedProcess[str]", folder: Path, graph_home: Path
) -> None:
    made = (folder / "data" / "done.json").stat().st_mtime_ns
    second = _demo(folder, graph_home)
    assert second.returncode == 0, second.stderr
    assert (folder / "data" / "done.json").stat().st_mtime_ns == made
    assert [path.name for path in (folder / "warehouse" / "commits").glob("*.json")] == ["1.json"]
    assert _told(second.stdout) == _told(first.stdout)


def _demo(folder: Path, graph_home: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, RUN, "--warehouse", "warehouse", "--data", "data", *SLICE],
        cwd=folder,
        env={**os.environ, "PROVHOUSE_NEO4J_HOME": str(graph_home)},
        capture_output=True,
        text=True,
    )


def _told(output: str) -> list[str]:
    """What was said, without the measured times."""
    return [line for line in output.splitlines() if not line.startswith(("rq", "ccprov", "csprov"))]
