"""What the demo tells, and that it can be run twice."""

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Demo


def test_it_tells_what_the_triples_say(demo: "Demo") -> None:
    first = demo.first
    assert first.returncode == 0, first.stderr
    told = " ".join(first.stdout.split())
    # Worked out from the triples of these days with a dictionary and a loop.
    assert "report/windiest-day/EWR comes from 1,623 rows of 11 tables, over 2,091 steps" in told
    assert "22 weather readings" in told
    assert "weather/EWR/2013-02-12T03 says 1,048.4 mph" in told
    assert "weather/EWR/2013-02-12T03 reached 250 rows of 10 tables" in told
    assert re.search(r"csprov +[\d,]+ +[\d,]+ +[\d,]+ ", first.stdout)
    assert "All three name the same 1,623 rows" in told


def test_a_pipe_gets_neither_colour_nor_bars(demo: "Demo") -> None:
    first = demo.first
    assert "\x1b" not in first.stdout + first.stderr
    assert "\r" not in first.stdout + first.stderr
    assert len(first.stderr.splitlines()) < 5, first.stderr


@pytest.mark.long
def test_a_second_run_finds_everything_there(demo: "Demo") -> None:
    folder, first = demo.folder, demo.first
    made = (folder / "data" / "done.json").stat().st_mtime_ns
    second = demo.again()
    assert second.returncode == 0, second.stderr
    assert (folder / "data" / "done.json").stat().st_mtime_ns == made
    assert [path.name for path in (folder / "warehouse" / "commits").glob("*.json")] == ["1.json"]
    assert _told(second.stdout) == _told(first.stdout)


def _told(output: str) -> list[str]:
    """What was said, without the measured times."""
    return [line for line in output.splitlines() if not line.startswith(("rq", "ccprov", "csprov"))]
