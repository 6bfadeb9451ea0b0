"""The page in a real browser: brushes by mouse and keyboard show counts equal to plain Python's."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from helpers.browser import chromium, drag, serving

ROWS: list[dict[str, Any]] = [
    {"id": at, "hour": at * at % 24, "kind": "abcd"[at * 7 % 13 % 4], "x": at % 10, "y": at % 7}
    for at in range(5000)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that contains a file of records."""
    folder = tmp_path_factory.mktemp("charts")
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "rows.parquet")
    return folder


@pytest.fixture(scope="module")
def link(folder: Path) -> Iterator[str]:
    """The link to a page with four views."""
    views = ["--by", "hour", "--by", "kind", "--grid", "x,y", "--measure", "x"]
    with serving(folder, "rows.parquet", *views) as (link, _):
        yield link


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser: Any, link: str) -> Any:
    """The opened page. When it ends, it must have had no errors except refused questions."""
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.goto(link)
    shows(page, 5000)
    yield page
    refused = "Failed to load resource: the server responded with a status of 400 (Bad Request)"
    assert set(problems) <= {refused}


def shows(page: Any, selected: int) -> None:
    """Wait until the page shows ``number`` selected records, also above the list of records."""
    title = page.locator("#records-title", has_text=re.compile(rf"[( ]{selected:,}\)"))
    title.wait_for(timeout=20_000)
    assert page.locator("#selected").inner_text() == f"{selected:,}"


def brushed(page: Any, view: int) -> str:
    """Return the description of the brush in a view."""
    text: str = page.locator(f"#view-{view} .brush").inner_text()
    return text


def between(text: str) -> range:
    """Return the whole numbers in a description such as ``3 to 9``."""
    first, _, last = text.partition(" to ")
    return range(int(first), int(last or first) + 1)


def test_drags_in_several_views_select_the_rows_that_pass_all(page: Any) -> None:
    drag(page, "#view-0 .overlay", (0.25, 0.5), (0.6, 0.5))
    hours = between(brushed(page, 0))
    assert 4 < len(hours) < 12
    left = [row for row in ROWS if row["hour"] in hours]
    shows(page, len(left))
    page.locator("#view-1 li", has_text="b").click()
    shows(page, len([row for row in left if row["kind"] == "b"]))
    page.locator("#view-1 li", has_text="d").click(modifiers=["Control"])
    left = [row for row in left if row["kind"] in "bd"]
    shows(page, len(left))
    drag(page, "#view-2 .overlay", (0.15, 0.2), (0.6, 0.7))
    across, up = (between(text) for text in brushed(page, 2).split(" \u00d7 "))
    assert len(across) > 2 < len(up)
    left = [row for row in left if row["x"] in across and row["y"] in up]
    shows(page, len(left))
    first = page.locator("#records tbody tr").first.locator("td").first.inner_text()
    assert first == str(left[0]["id"])


def test_a_selection_is_saved_as_a_trace(page: Any, folder: Path) -> None:
    selected = int(page.locator("#selected").inner_text().replace(",", ""))
    page.locator("#save").click()
    page.locator("#saving-name").fill("mine")
    page.locator("#saving-go").click()
    page.locator("#saving-result", has_text="provhouse ingest").wait_for()
    trace = pq.read_table(folder / "mine.parquet")
    assert trace.num_rows == selected
    assert ROWS[trace.column("src_id")[0].as_py()]["kind"] in "bd"
    page.locator("#saving-go").click()
    page.locator("#saving-result.wrong", has_text="already exists").wait_for()
    page.locator("#saving-close").click()
    page.locator("#save").click()
    page.locator("#saving-name").fill("mine-9")
    page.locator("#saving-go").click()
    page.locator("#saving-result", has_text="mine-9").wait_for()
    page.locator("#saving-close").click()
    page.locator("#save").click()
    assert page.locator("#saving-name").input_value() == "mine-10"
    page.locator("#saving-close").click()


def test_a_long_brush_leaves_the_name_of_the_column_readable(page: Any) -> None:
    cut = """() => {
        const head = document.querySelector("#view-0 .head");
        head.querySelector("h2").textContent = "date";
        head.querySelector(".brush").textContent = "2013-06-03 to 2013-07-31";
        const parts = [...head.querySelectorAll("h2, .brush")];
        return parts.map((part) => part.scrollWidth > part.clientWidth);
    }"""
    assert page.evaluate(cut) == [False, False]


@pytest.mark.long
def test_the_keyboard_does_what_the_mouse_does(page: Any) -> None:
    page.locator("#clear").click()
    shows(page, 5000)
    page.locator("#view-0 svg").focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert brushed(page, 0) == "1 to 2"
    shows(page, len([row for row in ROWS if row["hour"] in range(1, 3)]))
    page.locator("#said", has_text="hour: 1 to 2").wait_for(state="attached")
    page.keyboard.press("Escape")
    page.locator("#view-1 ul").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    kind = brushed(page, 1)
    shows(page, len([row for row in ROWS if row["kind"] == kind]))
    page.keyboard.press("Escape")
    shows(page, 5000)


def test_averages_are_shown(page: Any) -> None:
    page.locator("#clear").evaluate("button => button.click()")  # it may be hidden
    shows(page, 5000)
    page.locator("#measure").select_option(label="average of x")
    page.locator("#view-0 .clear").wait_for(state="hidden")
    average = page.locator("#view-1 li", has_text="c").locator(".number", has_text=".")
    shown = average.inner_text()
    values = [row["x"] for row in ROWS if row["kind"] == "c"]
    assert float(shown) == pytest.approx(sum(values) / len(values), rel=0.01)
    page.locator("#measure").select_option(label="number of records")


@pytest.mark.long
def test_records_are_sorted_saved_and_described_by_sql(page: Any, folder: Path) -> None:
    page.locator("#view-0 svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    left = [row for row in ROWS if row["hour"] in (0, 1)]
    shows(page, len(left))
    for _ in range(2):
        page.locator("#records th button", has_text="id").click()
        page.locator("#records th[aria-sort]").wait_for()
    page.locator('#records th[aria-sort="descending"]').wait_for()
    first = page.locator("#records tbody tr").first.locator("td").first
    assert first.inner_text() == str(left[-1]["id"])
    for form, read in (("csv", pyarrow.csv.read_csv), ("parquet", pq.read_table)):
        with page.expect_download() as saving:
            page.locator(f"#{form}").click()
        assert saving.value.suggested_filename == f"rows.{form}"
        assert read(saving.value.path()).to_pylist() == left[::-1]
    page.locator("#query summary").click()
    page.locator("#sql", has_text="where").wait_for()
    query = page.locator("#sql").inner_text().replace("rows.parquet", str(folder / "rows.parquet"))
    assert duckdb.execute(query).fetchall() == [tuple(row.values()) for row in left]


@pytest.mark.long
def test_a_list_is_searched(page: Any, folder: Path, browser: Any) -> None:
    names = [f"name {n}" for n in range(20) for _ in range(3)]
    pq.write_table(pa.table({"name": names, "n": range(60)}), folder / "listed.parquet")
    with serving(folder, "listed.parquet") as (link, _):
        other = browser.new_page()
        other.goto(link)
        shows(other, 60)
        assert other.locator(".card").count() == 1  # n looks like an identifier
        other.locator("#view-0 .find").fill("NAME 1")
        assert other.locator("#view-0 li:visible").count() == 11
        other.locator("#view-0 ul").focus()
        other.keyboard.press("ArrowDown")
        other.keyboard.press("Space")
        shows(other, 3)
        other.close()


@pytest.mark.long
def test_the_link_works_once_but_its_tab_can_be_loaded_again(
    page: Any, browser: Any, link: str
) -> None:
    page.locator("#clear").click()
    shows(page, 5000)
    page.reload()
    shows(page, 5000)
    other = browser.new_context().new_page()
    other.goto(link)
    other.locator("#problem", has_text="works only once").wait_for()
    other.close()


@pytest.mark.long
def test_a_file_that_changes_is_reported_and_cannot_be_saved(page: Any, folder: Path) -> None:
    (folder / "rows.parquet").write_bytes(b"other")
    page.locator("#view-1 li", has_text="a").click()
    page.locator("#problem", has_text="has changed since").wait_for()
    shows(page, len([row for row in ROWS if row["kind"] == "a"]))
    page.locator("#save").click()
    page.locator("#saving-name").fill("late")
    page.locator("#saving-go").click()
    page.locator("#saving-result.wrong", has_text="has changed since").wait_for()
    assert not (folder / "late.parquet").exists()


@pytest.mark.long
def test_views_are_divided_added_and_removed_and_the_address_has_them(page: Any) -> None:
    page.locator("#view-0 svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.locator("#view-0 .zoom").click()
    page.locator("#view-0 .how option", has_text="0..2").wait_for(state="attached")
    left = [row for row in ROWS if row["hour"] in (0, 1)]
    shows(page, len(left))
    assert brushed(page, 0) == "0 to 1"
    page.locator("#view-1 .remove").click()
    page.locator("#more").select_option("id")
    page.locator("#view-2 h2", has_text="id").wait_for()
    page.locator("#view-2 .how").select_option("log")
    page.locator("#view-2 .chart text", has_text="1k").wait_for()
    shows(page, len(left))
    page.wait_for_function("() => location.hash.includes('how.id=log')")
    shown = page.url
    page.reload()
    shows(page, len(left))
    assert page.url == shown
    assert page.locator("#view-0 h2").inner_text() == "hour"
    assert page.locator(".card").count() == 3
    page.locator("#view-2 .how").select_option("")
    page.locator("#view-2 .remove").click()
    page.locator("#more").select_option("kind")
    page.locator("#view-2 li").first.wait_for()
    page.locator("#clear").click()
    shows(page, 5000)


@pytest.mark.long
def test_bars_do_not_vanish_beside_the_bar_of_all_other_texts(folder: Path, browser: Any) -> None:
    names = ["a", "a", "a", "a", "b", "b", *map(str, range(200))]
    pq.write_table(pa.table({"name": names, "n": range(len(names))}), folder / "names.parquet")
    with serving(folder, "names.parquet", "--by", "name=2", "--by", "n") as (link, _):
        page = browser.new_page()
        page.goto(link)
        shows(page, len(names))
        rows = page.locator("#view-0 li")
        widths = """(rows) => rows.map((row) =>
            [row.querySelector(".front").getBoundingClientRect().width /
             row.querySelector(".bar").getBoundingClientRect().width,
             row.classList.contains("cut")])"""
        found = [(round(share, 2), cut) for share, cut in rows.evaluate_all(widths)]
        assert rows.nth(2).inner_text().startswith("(200 others)")
        assert found == [(1.0, False), (0.5, False), (1.0, True)]
        page.close()


def test_a_brush_on_a_second_file_selects_records_of_the_first(browser: Any, folder: Path) -> None:
    kinds = pa.table({"kind": sorted({row["kind"] for row in ROWS if row["kind"] is not None})})
    groups = pa.array(["first", *["other"] * (len(kinds) - 1)])
    pq.write_table(kinds.append_column("group", groups), folder / "kinds.parquet")
    options = ["--link", "kinds.parquet", "--on", "kind", "--by", "hour", "--by", "kinds.group"]
    expected = sum(row["kind"] == kinds["kind"][0].as_py() for row in ROWS)
    with serving(folder, "rows.parquet", *options) as (link, _):
        page = browser.new_page()
        page.goto(link)
        shows(page, len(ROWS))
        page.get_by_text("first", exact=True).first.click()
        shows(page, expected)
        assert page.get_by_role("heading", level=1).inner_text() == "rows.parquet and kinds.parquet"
        page.close()
