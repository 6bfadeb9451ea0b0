"""Write pictures of the page of `provhouse crossfilter`: at three widths, light and dark.

`make demo` creates the file of flights.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from helpers.browser import chromium, drag, serving

WIDTHS = (360, 1280, 1920)
HEIGHT = 900
VIEWS = ("date", "hour", "carrier", "dep_delay=clip", "dest", "distance")
BRUSHES = (0.415, 0.58), (0.6, 0.87)
"""The ends of the brushes in the first two views, as fractions of the chart's width."""
CARRIER = "EV"
PATIENCE = 60_000
"""The longest time until the page shows the records, in milliseconds."""


def main() -> None:
    """Write the pictures into a folder."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--flights", type=Path, default=Path("demo-data/source/flights.csv"))
    asked.add_argument("--folder", type=Path, default=Path("screens"))
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    by = [*(part for view in VIEWS for part in ("--by", view)), "--measure", "distance"]
    with TemporaryDirectory() as folder:
        _flights(given.flights, Path(folder) / "flights.parquet")
        with serving(Path(folder), "flights.parquet", *by) as (link, _), chromium() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": HEIGHT})
            page.goto(link)
            _brush(page)
            for colours in ("light", "dark"):
                page.emulate_media(color_scheme=colours)
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": HEIGHT})
                    page.wait_for_load_state("networkidle")
                    page.screenshot(path=given.folder / f"charts-{width}-{colours}.png")


def _flights(source: Path, file: Path) -> None:
    """Write the flights with the date of each."""
    with duckdb.connect() as con:
        dated = (
            f"select *, make_date(year, month, day) as date from read_csv('{source}', nullstr='NA')"
        )
        con.sql(dated).write_parquet(str(file))


def _brush(page: Any) -> None:
    page.locator("#view-5 svg").wait_for(timeout=PATIENCE)
    for view, (start, end) in enumerate(BRUSHES):
        drag(page, f"#view-{view} .overlay", (start, 0.5), (end, 0.5))
    page.locator("#view-2 li").get_by_text(CARRIER, exact=True).click()
    page.evaluate("() => document.activeElement.blur()")
    page.evaluate("() => document.querySelector('#timing').replaceChildren()")
    page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    main()
