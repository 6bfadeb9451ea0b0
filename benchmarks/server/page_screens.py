"""Write pictures of all views of the page for inspection: at three widths, light and dark.

`make demo` creates the warehouse of the demo, and `provhouse up` starts its server.
"""

import argparse
from pathlib import Path
from typing import Any

from .page import opened

PATIENCE = 120_000
WIDTHS = (360, 1280, 1920)
FIGURE, READING = "report/windiest-day/EWR", "weather/EWR/2013-02-12T03"
LINEAGE = f"item={FIGURE}&dir=upstream"
SCREENS = {
    "start": "",
    "search": "",
    "both": f"item={FIGURE}",
    "ops": f"{LINEAGE}&by=op",
    "opened": f"{LINEAGE}&open=%3C10%20table%3Aweather",
    "modules": f"{LINEAGE}&by=module",
    "panel": f"{LINEAGE}&sel={READING}",
    "impact": f"item={READING}&dir=downstream",
    "path": f"view=path&from={READING}&to={FIGURE}",
    "all-paths": f"view=path&from={READING}&to={FIGURE}&all=yes",
    "what-if": f"view=what-if&strike={READING}",
    "changes": f"view=changes&item={FIGURE}",
    "runs": "view=runs",
    "revisions": "view=revisions",
    "neo4j": f"view=browser&item={FIGURE}",
    "missing": "item=report/no-such-line",
}


def main() -> None:
    """Write the pictures into a folder."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    asked.add_argument("--folder", type=Path, default=Path("screens"))
    asked.add_argument("--only", nargs="*", choices=SCREENS, default=list(SCREENS))
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with opened(given.warehouse) as page:
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                for name in given.only:
                    _picture(page, name, given.folder / f"{name}-{width}-{colours}.png")


def _picture(page: Any, name: str, file: Path) -> None:
    page.evaluate("(to) => history.replaceState(null, '', `#${to}`)", SCREENS[name])
    page.reload()
    page.locator("#view[data-shown]").wait_for(state="attached", timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    if name == "search":
        page.locator("#search-text").fill("windiest")
        page.locator("#search-found [role=option]").first.wait_for()
    page.screenshot(path=file, full_page=True)


if __name__ == "__main__":
    main()
