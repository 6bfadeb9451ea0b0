"""Drag brushes in headless Chromium, and measure the time until the page has drawn all views."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.charts.form import Drawn

DRAGS = ((0.1, 0.3), (0.2, 0.8), (0.5, 0.9))
"""The begin and the end of a drag, as parts of the width of a view. The mouse moves in 20 steps."""


def drawn(table: pa.Table, ranges: Mapping[str, int]) -> list[Drawn]:
    """Return the times from a movement of the mouse to the next drawn frame, by brushed view."""
    from helpers.browser import chromium, serving

    views = [each for name in table.column_names for each in ("--by", _option(name, ranges))]
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        pq.write_table(table, Path(folder) / "rows.parquet")
        with serving(Path(folder), "rows.parquet", *views) as (link, _), chromium() as browser:
            page = browser.new_page(viewport={"width": 1300, "height": 1000})
            page.goto(link)
            page.locator("#view-0 .overlay").wait_for(timeout=60_000)
            return [_dragged(page, at, name) for at, name in enumerate(table.column_names)]


def _option(name: str, ranges: Mapping[str, int]) -> str:
    return f"{name}={ranges[name]}" if name in ranges else name


def _dragged(page: Any, view: int, name: str) -> Drawn:
    """Drag in one view; the brushes of the views before it stay."""
    page.evaluate("performance.clearMeasures()")
    box = page.locator(f"#view-{view} .overlay").bounding_box()
    height = box["y"] + box["height"] / 2
    for start, end in DRAGS:
        page.mouse.move(box["x"] + start * box["width"], height)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], height, steps=20)
        page.mouse.up()
        page.wait_for_timeout(300)
    found = page.evaluate("performance.getEntriesByName('brush to drawn').map(e => e.duration)")
    p50, p95 = (round(float(np.percentile(found, of)), 1) for of in (50, 95))
    return {
        "view": name, "brushes": view + 1, "frames": len(found),
        "p50": p50, "p95": p95, "max": round(max(found), 1),
    }  # fmt: skip
