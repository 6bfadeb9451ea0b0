"""The tour checks each claim that it prints, and walks through ten edits."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

DAYS = date(2013, 2, 11), date(2013, 2, 13)


@pytest.mark.long
def test_the_tour_shows_what_it_says(
    module: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module("tour").tour(tmp_path / "tour", DAYS)
    printed = capsys.readouterr().out
    assert re.findall(r"^Edit (\d+):", printed, re.MULTILINE) == [str(n) for n in range(1, 11)]
    assert printed.count("✓ ") == 24
    text = " ".join(printed.split())
    assert "Of its 24 sources, the second run lacks weather/EWR/2013-02-12T03." in text


@pytest.mark.long
def test_a_claim_that_does_not_hold_ends_the_tour(module: Callable[[str], Any]) -> None:
    with pytest.raises(AssertionError, match="one is two"):
        module("guide").Guide(None, "provhouse").shows("one is two", holds=False)
