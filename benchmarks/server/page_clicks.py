"""Click from a wrong figure of the demo to the wrong reading behind it, as a person would.

`make demo` creates the warehouse of the demo, and `provhouse up` starts its server. The script
knows the names; it counts the clicks and the seconds until the page shows what a person looks for.
"""

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

from .page import HELD, PATIENCE, opened

FIGURE, READING = "report/windiest-day/EWR", "weather/EWR/2013-02-12T03"
WRONG = "1048.36058"
"""The wind speed of the wrong reading, in miles per hour."""
VALUES = '#rows [aria-label^="Values of weather"]'
STEPS = (
    ("the figure in the list of the report", f'#view a[data-item^="{FIGURE}"]', ".box.asked"),
    ("the box weather", '.box.table[data-name="weather"] .main', VALUES),
    ("the heading wind_speed", f'{VALUES} th button:text-is("wind_speed")', f"{VALUES} td"),
    ("the first row", f"{VALUES} tbody tr:first-child a", f'#panel-values :text("{WRONG}")'),
    ("What if it did not exist?", "#panel .buttons button:text('What if')",
     '[aria-label="Values that change"] tbody tr'),
)  # fmt: skip
"""For each click: its name, what is clicked, and what the page shows then."""


def main() -> None:
    """Click, and print the seconds after each click."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--warehouse", type=Path, default=Path("demo/warehouse"))
    given = asked.parse_args()
    with opened(given.warehouse) as page:
        began = perf_counter()
        for number, (name, target, shown) in enumerate(STEPS, 1):
            _click(page, target, shown)
            print(f"{number}. {name}: {perf_counter() - began:.1f} s")


def _click(page: Any, target: str, shown: str) -> None:
    page.locator(target).first.click(delay=HELD, timeout=PATIENCE)
    page.locator(shown).first.wait_for(timeout=PATIENCE)


if __name__ == "__main__":
    main()
