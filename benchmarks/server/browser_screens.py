"""Write pictures of a warehouse in Neo4j Browser: of its tables and sets, and of two answers.

`make demo` creates the warehouse of the demo, and `provhouse up` starts its servers.
"""

import argparse
import json
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from helpers.browser import chromium
from provhouse.model.errors import UsageError
from provhouse.serve import server_file

PATIENCE = 120_000
STILL = 8_000
"""The time after which Browser is connected, and nodes hardly move any more, in milliseconds."""
SIZE = {"width": 1040, "height": 760}
FIGURE, FLIGHT = "report/windiest-day/EWR", "departures/2013-02-12/EWR/AA1895/0610"
TABLES, SETS = "Which table derives from which", "Three steps upstream"


def main() -> None:
    """Write the pictures into a folder."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    asked.add_argument("--folder", type=Path, default=Path("screens"))
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    guide = _ask(given.warehouse, "page/browser", {})
    urls = {
        "tables": _of(guide, TABLES),
        "sets": _of(guide, SETS),
        "items": _ask(given.warehouse, "view", {"item": FLIGHT})["url"],
        "groups": _ask(given.warehouse, "view", {"item": FIGURE})["url"],
    }
    password = Path(guide["password_file"]).read_text(encoding="utf-8").strip()
    with chromium() as browser:
        for name, url in urls.items():
            page = browser.new_page(viewport=SIZE)
            _show(page, url, password)
            clip = page.locator("[data-testid=frame]").first.bounding_box(timeout=PATIENCE)
            page.screenshot(path=given.folder / f"{name}.png", clip=clip, timeout=PATIENCE)
            page.close()


def _of(guide: dict[str, Any], title: str) -> str:
    """Return the address of the guide's query whose title begins with a text."""
    found: str = next(each["url"] for each in guide["queries"] if each["title"].startswith(title))
    return found


def _ask(warehouse: Path, route: str, question: dict[str, str]) -> Any:
    server = server_file.running(warehouse)
    if server is None:
        raise UsageError("The server is not running", "", "Start it with `provhouse up`")
    headers = {
        "Authorization": f"Bearer {server_file.token(warehouse)}",
        "Content-Type": "application/json",
    }
    body = json.dumps(question).encode()
    with urlopen(Request(f"{server.address}/v1/{route}", body, headers)) as reply:
        return json.load(reply)


def _show(page: Any, url: str, password: str) -> None:
    """Open Browser with a query, log in, run the query, and wait until the picture is still."""
    page.goto(url)
    field = page.locator("[data-testid=password]")
    field.fill(password, timeout=PATIENCE)
    field.press("Enter")
    field.wait_for(state="detached", timeout=PATIENCE)
    page.wait_for_timeout(STILL)  # Browser loses a query that is run before it is connected
    page.locator("[data-testid=editor-Run]").click()
    page.locator("[data-testid=frame] svg g.node").first.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(STILL)


if __name__ == "__main__":
    main()
