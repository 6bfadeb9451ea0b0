"""The page in a real browser on captured nights: values, versions, changes and revisions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.browser import chromium
from helpers.flow import Flow, write
from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch
from provhouse.serve import server_file
from provhouse.serve import server_process as process
from provhouse.store.tables.uncaptured import Uncaptured, note_uncaptured
from provhouse.store.warehouse.captured_blocks import begin_block

pytestmark = pytest.mark.long

PATIENCE = 90_000
KEYS = {"orders": "id", "totals": "cust"}
OLD = [{"id": at, "cust": "ab"[at % 2], "price": at} for at in range(1, 9)]
NEW = [
    *({**row, "price": 50 if row["id"] == 4 else row["price"]} for row in OLD),
    {"id": 9, "cust": "b", "price": 9},
]
DDL = "create table t(k integer primary key, n integer);"
TEXTS = ("select k, n from t where n > 2", "select k, n from t where n > 3")
ROWS = ({1: 1, 2: 3, 3: 5, 4: 9}, {1: 1, 2: 3, 3: 6, 4: 9, 5: 7})
"""The values of n by k, of both executions."""


@dataclass(frozen=True)
class Nights:
    """A warehouse with two nights of a job, and its running server."""

    house: House
    folder: Path
    before: int
    """The generation of the first night."""


def night(house: House, folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write the orders, and capture the totals by customer."""
    (folder / "orders").mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "orders" / "1.parquet")
    orders = house.session.read.parquet(str(folder / "orders"))
    orders.createOrReplaceTempView("orders")
    totals = house.session.sql("SELECT cust, sum(price) AS total FROM orders GROUP BY cust")
    with house.capture(keys=KEYS, values=True):
        totals.coalesce(1).write.mode("overwrite").parquet(str(folder / "totals"))


def add_revisions(house: House, folder: Path) -> None:
    """Store two revisions of a workflow, each with an execution."""
    flow = Flow(folder, DDL)
    flow.settings = house.settings
    for number, (text, rows) in enumerate(zip(TEXTS, ROWS, strict=True), start=1):
        listed = ", ".join(map(str, rows.items()))
        source = flow.table(
            f"t{number}", f"select k::integer k, n::integer n from (values {listed}) v(k, n)"
        )
        out = folder / f"out{number}.parquet"
        write(text.replace("from t", f"from '{source}'"), out)
        flow.add(text)
        flow.store_with({"result": out}, number, {"t": str(source)}, key=["k"])
    flow.add("select k from t")


def total(rows: list[dict[str, Any]], customer: str) -> int:
    """Return the sum of a customer's prices."""
    return sum(row["price"] for row in rows if row["cust"] == customer)


@pytest.fixture(scope="module")
def nights(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory, spark: SparkSession
) -> Iterator[Nights]:
    folder, house = tmp_path_factory.mktemp("nights"), houses(spark_memory="1g")
    night(house, folder, OLD)
    before = house.commit.generation
    night(house, folder, NEW)
    add_revisions(house, folder)
    lacking = Uncaptured("prices", "hand", "2026-01-02T03:04:05+00:00", "an unknown operator")
    note_uncaptured(house.layout, [lacking])
    begin_block(house.layout.captured / "late", {"orders": ("id",)}, "late run")
    process.up(house.settings, Silent(), wait=True)
    yield Nights(house, folder, before)
    process.down(house.settings.warehouse, Silent())


@pytest.fixture(scope="module")
def page(nights: Nights) -> Iterator[Any]:
    """The page, logged in. When it ends, it must have had no errors."""
    fetch(Silent(), ["page"])
    problems: list[str] = []
    server = server_file.running(nights.house.settings.warehouse)
    assert server
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.set_default_timeout(PATIENCE)
        page.goto(process.page_link(nights.house.settings.warehouse, server))
        page.locator("#app").wait_for()
        yield page
    assert problems == []


def shows(page: Any, fragment: str) -> None:
    """Go to a state of the page, and wait until the page shows it."""
    page.evaluate("(to) => { location.hash = to; }", fragment)
    page.wait_for_function("() => document.querySelector('#view').dataset.shown === location.hash")


def rows(page: Any, label: str) -> list[list[str]]:
    """Return the cells of the rows of the table whose label begins with the given words."""
    found = page.locator(f'[aria-label^="{label}"]')
    found.wait_for()
    return [row.inner_text().split("\t") for row in found.locator("tbody tr").all()]


def test_the_panel_shows_values_versions_and_what_made_an_item(page: Any, nights: Nights) -> None:
    shows(page, "item=totals/a&dir=upstream&sel=totals/a@2")
    values = page.locator("#panel-values")
    values.locator("dt", has_text="total").wait_for()
    assert values.locator("dd").all_inner_texts() == ["a", str(total(NEW, "a"))]
    assert str(nights.folder / "totals") in values.locator(".file").inner_text()
    made = page.locator("#panel-made")
    made.locator("pre", has_text="sum(price) AS total").wait_for()
    assert "FROM orders GROUP BY cust" in made.locator("dl").inner_text()
    expected = {f"orders/{row['id']}" for row in NEW if row["cust"] == "a"}
    assert {each.get_attribute("data-item") for each in made.locator("a").all()} == expected
    page.locator("#panel-versions a", has_text="totals/a@1").click()
    page.locator("#panel h2", has_text="totals/a@1").wait_for()
    values.locator("li", has_text="(gone)").wait_for()  # the second night has deleted the file
    assert "as the job left them" in values.inner_text()


def test_a_value_leads_to_the_columns_from_which_it_was_computed(page: Any) -> None:
    shows(page, "item=totals/a&dir=upstream&sel=orders/4")
    page.locator("#panel-values dt", has_text="price").wait_for()
    assert page.locator("#panel-values dt a").count() == 0  # no job has written the orders
    shows(page, "item=totals/a&sel=totals/a")
    page.locator("#panel-values dt a", has_text="total").click()
    assert rows(page, "The column total") == [["orders", "value", "price", "cust (group)"]]
    assert "item=totals%2Fa%402.total" in page.url


def test_changes_show_what_came_and_why_a_value_changed(page: Any, nights: Nights) -> None:
    shows(page, f"view=changes&item=totals/b&since={nights.before}")
    assert page.locator("#said").inner_text().split(": ")[1].startswith("1 item came, 0 items went")
    assert [row[0].strip() for row in rows(page, "Came")] == ["orders/9"]
    shows(page, f"view=changes&item=totals/a&since={nights.before}")
    before, after = total(OLD, "a"), total(NEW, "a")
    (value,) = rows(page, "The value")
    assert value[1:5] == ["sum", str(before), str(after), str(after - before)]
    (changed,) = rows(page, "Why the value changed")
    assert changed[0].strip() == "orders/4"
    assert [*changed[1:4], changed[6]] == ["changed", "4", "50", "46"]
    page.locator('[aria-label^="Why the value changed"] a').click()
    page.locator("#panel h2", has_text="orders/4").wait_for()


def test_a_box_of_changed_items_lists_those_of_its_table(page: Any, nights: Nights) -> None:
    shows(page, f"view=changes&item=totals/b&since={nights.before}")
    page.locator(".box.table .main", has_text="orders").click()
    assert [row[0].strip() for row in rows(page, "Came in orders")] == ["orders/9"]
    assert "of=orders" in page.url
    page.get_by_role("button", name="Of all tables").click()
    page.locator('[aria-label="Came"]').wait_for()


def test_runs_show_what_was_not_captured_and_what_is_not_ingested(page: Any) -> None:
    shows(page, "view=runs")
    (lacking,) = rows(page, "Tables whose last write was not captured")
    assert lacking == ["prices", "hand", "2026-01-02T03:04:05+00:00", "an unknown operator"]
    (waiting,) = rows(page, "Captured jobs that are not ingested")
    assert waiting[0] == "late run"


def test_two_revisions_show_the_records_that_differ_and_why(page: Any) -> None:
    shows(page, "view=revisions&workflow=flow")
    page.locator("tr", has_text="flow@r1").get_by_role("button", name="compare").first.click()
    page.get_by_role("button", name="compare with flow@r1").first.click()
    differ = rows(page, "Records that differ: 3")
    assert differ == [["went", "code", "2", "3"], ["changed", "data", "3", "5 → 6"],
                      ["came", "data", "5", "7"]]  # fmt: skip
    assert sorted(rows(page, "Causes")) == [
        ["came", "data", "1"], ["changed", "data", "1"], ["went", "code", "1"]
    ]  # fmt: skip
    text = page.locator("#view section").inner_text()
    assert "filter, operator 2 of 3" in text
    assert "t1.parquet" in text
    assert "t2.parquet" in text


def test_revisions_without_an_execution_show_only_their_queries(page: Any) -> None:
    shows(page, "view=revisions&workflow=flow&before=flow@r1&after=flow@r3")
    section = page.locator("#view section", has_text="flow@r1 and flow@r3")
    assert "The records are not compared: " in section.inner_text()
    assert "Its results are not stored" in section.inner_text()
    assert "Operators that changed" in section.inner_text()


def test_tables_without_room_share_a_box_and_are_listed(page: Any) -> None:
    shows(page, "view=what-if")
    draw = """async ([nodes, edges]) => {
        const { drawTables } = await import("/static/levels.js");
        window.opened = [];
        const open = (box) => () => window.opened.push(box.name);
        const view = document.querySelector("#view");
        view.replaceChildren();
        drawTables(view, { nodes, edges }, { came: "came", went: "went" }, "Picture", open);
    }"""
    nodes = [{"node": at, "kind": "table", "name": f"t{at}", "came": at % 7, "went": 0}
             for at in range(70)]  # fmt: skip
    edges = [{"from": at, "to": 0, "op": "o", "came": 1, "went": 0} for at in range(1, 70)]
    page.evaluate(draw, [nodes, edges])
    boxes = [each.get_attribute("data-name") for each in page.locator(".box.table").all()]
    page.locator(".box.rest .main", has_text="11 groups without a box").click()
    listed = page.locator("#view details li button")
    names = listed.all_inner_texts()
    assert (len(boxes), sorted([*boxes, *names])) == (59, sorted(f"t{at}" for at in range(70)))
    assert max(int(name[1:]) % 7 for name in names) <= min(int(name[1:]) % 7 for name in boxes[1:])
    listed.first.click()
    page.locator('.box.table[data-name="t69"] .main').click()
    assert page.evaluate("window.opened") == [names[0], "t69"]
    page.evaluate(draw, [nodes[1:2], []])  # no edges
    assert page.locator(".box").count() == 1


def test_the_address_has_the_order_of_tables(page: Any) -> None:
    shows(page, "item=totals/a&dir=upstream")
    names = [row[0].strip() for row in rows(page, "Derives from")]
    heading = page.locator('[aria-label^="Derives from"] th', has_text="item")
    for _ in range(2):
        heading.locator("button").click()
    assert "sort=-item+of+Derives+from" in page.url
    page.reload()
    page.locator('[aria-label^="Derives from"] th[aria-sort="descending"]').wait_for()
    assert [row[0].strip() for row in rows(page, "Derives from")] == sorted(names, reverse=True)
    assert names == sorted(names)


def test_a_server_answers_as_the_machine_of_the_warehouse(
    nights: Nights, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = nights.house.settings
    server = server_file.running(settings.warehouse)
    assert server
    token = tmp_path / "token"
    token.write_text(server_file.token(settings.warehouse))
    remote = ("--server", server.address, "--set", f"token_file={token}")
    local = ("--warehouse", str(settings.warehouse))
    for question in (
        ("list", "values", "op"), ("list", "values", "op", "--format", "csv"),
        ("list", "catalogue"), ("lineage", "totals/a", "--records"),
        ("impact", "orders/9", "--records", "--format", "csv"),
    ):  # fmt: skip
        said = []
        for where in (remote, local):
            assert run([*where, *question]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] != ""
