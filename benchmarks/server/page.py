"""Measure how long the page of a server takes from a click to the drawn picture, in Chromium.

`make demo` creates the warehouse of the demo. With ``--picture``, also write a picture of the page.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from helpers.browser import chromium
from provhouse.model.errors import UsageError
from provhouse.serve import server_file
from provhouse.serve.server_process import page_link

ROUNDS = 5
PATIENCE = 120_000
"""The longest time for a picture, in milliseconds."""
SIZE = {"width": 1160, "height": 890}
STEPS = {
    "ask about the figure": "item={item}",
    "group by op": "item={item}&by=op",
    "open a table": "item={item}&open=%3C10%20table%3A{table}",
    "ask about a source": "item={source}",
}


def main() -> None:
    """Print the median of each step, in milliseconds, and write the picture."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--warehouse", type=Path, default=Path("demo/warehouse"))
    asked.add_argument("--item", default="report/windiest-day/EWR")
    asked.add_argument("--table", default="weather")
    asked.add_argument("--source", default="weather/EWR/2013-02-12T03")
    asked.add_argument("--picture", type=Path, help="Write a picture of the page to this file.")
    given = asked.parse_args()
    with opened(given.warehouse) as page:
        for name, fragment in STEPS.items():
            to = fragment.format(**vars(given))
            times = [drawn(page, to) for _ in range(ROUNDS)]
            print(f"{name}: {median(times):.0f} ms, {min(times):.0f} to {max(times):.0f}")
        if given.picture:
            drawn(page, f"item={given.item}&dir=upstream&by=op&sel={given.source}")
            page.wait_for_load_state("networkidle")
            page.evaluate("() => document.activeElement.blur()")
            page.evaluate("() => document.querySelector('#panel .file')?.remove()")  # a path
            page.screenshot(path=given.picture)


@contextmanager
def opened(warehouse: Path) -> Iterator[Any]:
    """Yield the page of a warehouse's server, logged in."""
    server = server_file.running(warehouse)
    if server is None:
        raise UsageError("The server is not running", "", "Start it with `provhouse up`")
    with chromium() as browser:
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(page_link(warehouse, server))
        page.locator("#app").wait_for()
        yield page


def drawn(page: Any, fragment: str) -> float:
    """Go to a state of the page, and return the milliseconds until its picture is drawn.

    Before that, the page has loaded everything except the answer, and has no cached answers.
    """
    page.evaluate("() => history.replaceState(null, '', '#')")
    page.reload()
    page.locator("#search-text:focus").wait_for()
    page.evaluate("(to) => { location.hash = to; }", fragment)
    page.wait_for_function(
        "() => performance.getEntriesByName('drawn').length > 0", timeout=PATIENCE
    )
    times: list[float] = page.evaluate(
        "() => performance.getEntriesByName('drawn').map((each) => each.duration)"
    )
    return times[-1]


if __name__ == "__main__":
    main()
