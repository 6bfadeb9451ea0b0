"""The demo prints the right numbers, and can run twice."""

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Demo


@pytest.mark.long
def test_the_demo_prints_the_numbers_that_the_pairs_give(demo: "Demo") -> None:
    first = demo.first
    assert first.returncode == 0, first.stderr
    printed = " ".join(first.stdout.split())
    # The numbers were computed from the pairs of these days with a dictionary and a loop.
    assert "report/windiest-day/EWR derives from 1,628 rows of 12 tables, in 2,120 steps" in printed
    assert "24 weather readings" in printed
    assert "weather/EWR/2013-02-12T03 has 1,048.4 mph" in printed
    assert "weather/EWR/2013-02-12T03 affected 252 rows of 11 tables" in printed
    assert re.search(r"A walk over [\d,]+ sets of rows in Neo4j named the [\d,]+ part", printed)
    # The means were computed from the readings of these days, without this reading.
    assert re.search(r"report/highest-wind/EWR +56\.4 mph +13\.3 mph ", first.stdout)
    assert "would have been 2013-02-12, with 13.3 mph on average" in printed


@pytest.mark.long
def test_output_to_a_pipe_has_neither_colours_nor_progress_bars(demo: "Demo") -> None:
    first = demo.first
    assert "\x1b" not in first.stdout + first.stderr
    assert "\r" not in first.stdout + first.stderr
    assert len(first.stderr.splitlines()) < 5, first.stderr


@pytest.mark.long
def test_a_second_run_repeats_neither_pipeline_nor_ingest(demo: "Demo") -> None:
    folder, first = demo.folder, demo.first
    made = (folder / "data" / "done.json").stat().st_mtime_ns
    second = demo.again()
    assert second.returncode == 0, second.stderr
    assert (folder / "data" / "done.json").stat().st_mtime_ns == made
    assert [path.name for path in (folder / "warehouse" / "commits").glob("*.json")] == ["1.json"]
    assert second.stdout == first.stdout
