"""Measure how long the page of a server takes from a click to the drawn picture, in Chromium.

The page is loaded and idle when it is clicked. The first click after loading runs code that the
browser has not yet compiled; later clicks do not. The server keeps no pictures. A person holds a
button for a moment, which the page uses: the time begins when the button is released.

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
HELD = 80
"""The time for which a person holds a button, in milliseconds."""
CLICKS = {"first": (True, HELD), "later": (False, HELD), "later, not held": (False, 0)}
"""For each kind of click, whether the page is loaded again before it, and the time of the press."""
SIZE = {"width": 1160, "height": 890}
LEGEND = 40
"""The height that a picture of the page needs for the list of signs, in pixels."""
STEPS = {
    "ask about the figure": ("item={source}&sel={item}", "#panel .first"),
    "group by op": ("item={item}", "#choose-by [data-value=op]"),
    "open a table": ("item={item}", ".box.table[data-name='{table}'] .main"),
    "ask about a source": ("item={item}&sel={source}", "#panel .first"),
}
"""For each step, the state of the page before it, and what is clicked."""


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
        for name, step in STEPS.items():
            state, target = (part.format(**vars(given)) for part in step)
            for kind, (loaded, held) in CLICKS.items():
                times = [clicked(page, state, target, loaded, held) for _ in range(ROUNDS)]
                low, middle, high = min(times), median(times), max(times)
                print(f"{name}, {kind}: {middle:.0f} ms, {low:.0f} to {high:.0f}")
        if given.picture:
            shows(page, f"item={given.item}&dir=upstream&by=op&sel={given.source}")
            page.evaluate("() => document.activeElement.blur()")
            page.evaluate("() => document.querySelector('#panel .file')?.remove()")  # a path
            page.set_viewport_size({**SIZE, "height": SIZE["height"] + LEGEND})
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


def shows(page: Any, fragment: str) -> None:
    """Go to a state of the page, and wait until the page has nothing left to do."""
    page.evaluate("(to) => { location.hash = to; }", fragment)
    page.locator(f"#view[data-shown='#{fragment}']").wait_for(timeout=PATIENCE)
    page.wait_for_load_state("networkidle")


def clicked(page: Any, state: str, target: str, loaded: bool, held: float) -> float:
    """Click in a state of the page; return the milliseconds until the new picture is drawn.

    The button stays pressed for ``held`` milliseconds. With ``loaded``, the page is loaded again
    first. Neither time is counted.
    """
    shows(page, state)
    if loaded:
        page.reload()
        page.locator("#view[data-shown]").wait_for(timeout=PATIENCE)
        page.wait_for_load_state("networkidle")
    page.evaluate("""() => {
        const press = ({ timeStamp: startTime }) => performance.mark("pressed", { startTime });
        performance.clearMarks("pressed");
        addEventListener("click", press, { capture: true, once: true });
    }""")
    page.locator(target).click(delay=held)
    time = page.wait_for_function(
        """() => {
            const [pressed] = performance.getEntriesByName("pressed");
            const drawn = performance.getEntriesByName("drawn").at(-1);
            return drawn?.startTime >= pressed?.startTime
                && drawn.startTime + drawn.duration - pressed.startTime;
        }""",
        timeout=PATIENCE,
    )
    found: float = time.json_value()
    return found


if __name__ == "__main__":
    main()
