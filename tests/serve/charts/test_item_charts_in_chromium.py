"""The tab Charts in a real browser: the records behind an answer, counted as plain Python does."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from helpers.browser import chromium, drag
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch
from provhouse.serve import server_file
from provhouse.serve import server_process as process

pytestmark = (
    pytest.mark.long
)  # its short forms are test_served_pages.py and test_page_in_chromium.py

ROWS: list[dict[str, Any]] = [
    {"id": at, "cust": "ab"[at * at % 3 % 2], "hour": at * 7 % 24} for at in range(90)
]
ITEM = "totals/b"
BEHIND = [row for row in ROWS if row["cust"] == "b"]
PATIENCE = 90_000


@pytest.fixture(scope="module")
def house(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory, spark: SparkSession
) -> Iterator[House]:
    """A warehouse with one captured write, and its running server."""
    folder = tmp_path_factory.mktemp("charted")
    (folder / "orders").mkdir()
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "orders" / "1.parquet")
    house = houses(spark_memory="1g")
    totals = spark.read.parquet(str(folder / "orders")).groupBy("cust").agg(F.sum("hour"))
    with house.capture(keys={"orders": "id", "totals": "cust"}):
        totals.write.parquet(str(folder / "totals"))
    process.up(house.settings, Silent(), wait=True)
    yield house
    process.down(house.settings.warehouse, Silent())


@pytest.fixture(scope="module")
def page(house: House) -> Iterator[Any]:
    """The page, logged in. When it ends, it must have had no errors."""
    fetch(Silent(), ["page"])
    problems: list[str] = []
    server = server_file.running(house.settings.warehouse)
    assert server
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.set_default_timeout(PATIENCE)
        page.goto(process.page_link(house.settings.warehouse, server))
        page.locator("#app").wait_for()
        yield page
    assert problems == []


def shows(page: Any, selected: int) -> None:
    """Wait until the charts show this number of selected records."""
    page.locator("#records-title", has_text=re.compile(rf"[( ]{selected}\)")).wait_for()
    assert page.locator("#selected").inner_text() == str(selected)


def test_an_answer_leads_to_charts_and_a_selection_back_to_its_items(page: Any) -> None:
    page.evaluate("(to) => { location.hash = to; }", f"item={ITEM}&dir=upstream")
    page.locator(".box.table .main", has_text="orders").click()
    page.get_by_role("link", name=f"Charts of all {len(BEHIND)} records").click()
    shows(page, len(BEHIND))
    assert page.locator("#file").inner_text() == f"orders that reached {ITEM}"
    views = [each.inner_text() for each in page.locator("#views h2").all()]
    hour = views.index("hour")
    drag(page, f"#view-{hour} .overlay", (0.25, 0.5), (0.6, 0.5))
    first, last = map(int, page.locator(f"#view-{hour} .brush").inner_text().split(" to "))
    left = [row for row in BEHIND if first <= row["hour"] <= last]
    assert 0 < len(left) < len(BEHIND)
    shows(page, len(left))
    names = page.locator("#records tbody a").all_inner_texts()
    assert sorted(names) == sorted(f"orders/{row['id']}" for row in left)
    page.locator("#records tbody a").first.click()
    page.locator("#title", has_text=names[0]).wait_for()
    page.locator(".box.item", has_text="asked").wait_for()
