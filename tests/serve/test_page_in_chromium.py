"""The page in a real browser: from the link of `provhouse up` to items, pictures and values."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, quote

import pytest

from helpers.browser import chromium
from helpers.warehouse import House
from provhouse.cypher.guide import queries
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch
from provhouse.serve import server_process as process
from provhouse.serve.tokens import Role, add_token
from provhouse.store.warehouse.reports import keep_report

from .conftest import Served, started

ITEM = "t:40"
PATIENCE = 90_000
"""The maximum time for a step, in milliseconds. The first picture compiles loops."""
REFUSED = "Failed to load resource: the server responded with a status of 404 (Not Found)"
ODD = 'odd "name"\n<b>ü'


@pytest.fixture(scope="module")
def served(houses: Callable[..., House]) -> Iterator[Served]:
    """A server whose warehouse has the items that these tests look for, and no others."""
    with started(houses) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    fetch(Silent(), ["page"])
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def link(served: Served) -> str:
    """The link that `provhouse up` prints."""
    return process.page_link(served.house.settings.warehouse, served.server)


@pytest.fixture(scope="module")
def page(browser: Any, served: Served, link: str) -> Iterator[Any]:
    """The page, logged in. All its requests must have gone to its server, without an error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    asked: set[str] = set()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: asked.add(request.url.split("#")[0]))
    page.set_default_timeout(PATIENCE)
    page.goto(link)
    page.locator("#app").wait_for()
    yield page
    address = served.server.address
    assert {url for url in asked if not url.startswith((f"{address}/", "data:"))} == set()
    assert set(problems) <= {REFUSED}


def shows(page: Any, fragment: str) -> None:
    """Go to a state of the page, and wait until the page shows it."""
    page.evaluate("(to) => { location.hash = to; }", fragment)
    settled(page)


def settled(page: Any) -> None:
    """Wait until the page shows the state that its address states."""
    page.wait_for_function("() => document.querySelector('#view').dataset.shown === location.hash")


def named(page: Any, name: str) -> Any:
    """Return the boxes with the given name."""
    return page.locator(f'.box[data-name="{name}"]')


def test_the_link_logs_in_once_and_leaves_no_token_behind(
    page: Any, browser: Any, link: str
) -> None:
    assert "token" not in page.url
    other = browser.new_context().new_page()
    other.goto(link)
    other.locator(".problem", has_text="was opened before").wait_for()
    assert other.locator("#app").is_hidden()
    other.close()


@pytest.mark.long
def test_a_shared_address_opens_in_another_tab_that_has_logged_in(page: Any) -> None:
    shows(page, f"item={ITEM}&by=op")
    other = page.context.new_page()
    problems: list[str] = []
    other.on("pageerror", lambda error: problems.append(str(error)))
    other.goto(page.url)
    named(other, ITEM).wait_for(timeout=PATIENCE)
    other.locator('#choose-by [data-value="op"][aria-pressed="true"]').wait_for()
    other.wait_for_function("() => performance.getEntriesByName('drawn').length === 1")
    assert page.context.cookies() == []
    assert problems == []
    other.close()


@pytest.mark.long
def test_a_person_logs_in_with_a_token_and_sees_no_values(browser: Any, served: Served) -> None:
    token = add_token(served.house.settings.warehouse, "page-reader", Role.read, None)
    other = browser.new_context().new_page()
    other.goto(f"{served.server.address}/#item={ITEM}&sel={ITEM}")
    other.locator("#login-token").fill("wrong")
    other.keyboard.press("Enter")
    other.locator(".problem", has_text="no valid token").wait_for()
    other.locator("#login-token").fill(token)
    other.keyboard.press("Enter")
    other.locator("#panel-values", has_text="A token with the role admin").wait_for(
        timeout=PATIENCE
    )
    stored = other.evaluate("() => JSON.stringify(localStorage)")
    assert token not in stored
    other.locator("#leave").click()
    other.locator("#login-form").wait_for()
    assert "key" not in other.evaluate("() => JSON.stringify(localStorage)")
    other.close()


def test_search_as_you_type_leads_to_a_picture_of_the_answer(page: Any, served: Served) -> None:
    shows(page, "")
    page.locator("#search-text").fill("40")
    page.locator('#search-found [role="option"]', has_text=re.compile(f"^{ITEM}t$")).wait_for()
    page.locator("#search-text").fill(ITEM)
    page.locator('#search-found [aria-selected="true"]', has_text=ITEM).wait_for()
    page.locator("#search-text").press("Enter")
    settled(page)
    up, down = (served.oracle.ask(ITEM, way) for way in ("upstream", "downstream"))
    said = page.locator("#said").inner_text()
    assert f"derives from {len(up.items)} items, by {len(up.triples)} triples" in said
    assert f"reached {len(down.items)} items" in said
    groups = page.locator(".box.table").all()
    assert sorted(int(each.get_attribute("data-items")) for each in groups) == sorted(
        [len(up.items), len(down.items)]
    )
    rows = page.locator("#rows section").first.locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == len(up.items)


def test_without_an_item_the_tables_lead_to_their_items(page: Any, served: Served) -> None:
    shows(page, "")
    ends = [((t.src, t.src_table), (t.dst, t.dst_table)) for t in served.triples]
    table = page.locator("#view .choice button[aria-pressed=true]").inner_text()
    rows = page.locator("#view tbody a")
    listed = [each.get_attribute("data-item") for each in rows.all()]
    assert set(listed) == {name for pair in ends for name, of in pair if of == table}
    rows.first.click()
    page.locator(f'.box.asked[data-name="{listed[0]}"]').wait_for()
    shows(page, "item=no-such:40")
    page.locator("#view button", has_text="Search similar names").click()
    page.locator("#search-found .note", has_text="No name contains").wait_for()


def test_the_rows_of_an_answer_are_saved_as_csv(page: Any, served: Served) -> None:
    shows(page, f"item={ITEM}&dir=upstream")
    with page.expect_download() as saving:
        page.locator("#rows .beside").click()
    assert saving.value.suggested_filename == "lineage.csv"
    headers = {"Accept": "text/csv"}
    reply = served.request("GET", "/v1/lineage", params={"item": ITEM}, headers=headers)
    assert saving.value.path().read_bytes() == reply.content
    assert len(served.oracle.ask(ITEM, "upstream").triples) < reply.text.count("\n")


def test_one_click_opens_folds_selects_and_walks_on(page: Any, served: Served) -> None:
    shows(page, f"item={ITEM}&dir=upstream")
    page.locator(".box.table .main").click()
    settled(page)
    count = min(10, len(served.oracle.ask(ITEM, "upstream").items))
    assert page.locator(".box.item:not(.asked)").count() == count
    near = {src for src, dst, _ in served.oracle.ask(ITEM, "upstream").triples if dst == ITEM}
    shown = {each.get_attribute("data-name") for each in page.locator(".box.item").all()}
    assert near <= shown
    first = sorted(near)[0]
    named(page, first).locator(".main").click()
    page.locator("#panel h2", has_text=first).wait_for()
    made = page.locator("#panel-made .items a")
    made.first.wait_for()
    expected = {each.src for each in served.triples if each.dst == first}
    assert {each.get_attribute("data-item") for each in made.all()} == expected
    page.locator("#panel-values", has_text="Not known").wait_for()
    page.locator(".chips .chip").click()
    settled(page)
    assert page.locator(".box.item").count() == 1
    page.go_back()
    settled(page)
    named(page, first).locator(".small").click()
    page.locator(f'.box.asked[data-name="{first}"]').wait_for()
    assert f"item={quote(first)}" in page.url


def test_a_depth_and_an_earlier_generation_limit_the_answer(page: Any, served: Served) -> None:
    shows(page, f"item={ITEM}&dir=upstream&depth=2")
    count = len(served.oracle.ask(ITEM, "upstream", 2).items)
    page.locator("#said", has_text=f"derives from {count} items within this depth").wait_for()
    slider = page.locator("#depth")
    slider.focus()
    slider.press("ArrowRight")
    count = len(served.oracle.ask(ITEM, "upstream", 3).items)
    page.locator("#said", has_text=f"derives from {count} items within this depth").wait_for()
    assert "depth=3" in page.url
    page.locator("#as-of").fill("99")
    page.locator("#as-of").press("Enter")
    page.locator("#view .problem", has_text="99").wait_for()


def test_runs_show_reports_of_blame_and_the_cost_of_captures(page: Any, served: Served) -> None:
    layout = served.house.layout
    rows = [{"item": ITEM, "file": "f", "values": {"delay": 9.5}}]
    behind = [{"item": f"t:{at}", "file": "f", "values": {"wind": at}} for at in (1, 2)]
    keep_report(layout, "blame", {
        "fault": "delay > 9", "table": "t", "rows": rows, "more": False, "smallest": True,
        "runs": 5, "blamed": [{"table": "u", "count": 2, "records": behind}],
    })  # fmt: skip
    write = {"table": "t", "version": 3, "rows": 70, "taps": 1, "associations": 900, "bytes": 4096,
             "seconds": 2.5, "rewriting": 0.25}  # fmt: skip
    keep_report(layout, "capture", {"run": "night", "landing": 1.5, "writes": [write]})
    shows(page, "view=runs")
    cost = page.locator('[aria-label^="What the last captured"] tbody tr').inner_text()
    assert cost.split("\t") == ["t", "3", "night", "70", "900", "4,096", "2.75", "0.25", "1.5"]
    page.get_by_role("button", name=f"Show the report on {ITEM}").click()
    settled(page)
    blamed = page.locator('[aria-label="To blame in u, after 5 runs: 2 records"] tbody tr')
    assert [each.inner_text().split() for each in blamed.all()] == [["t:1", "1"], ["t:2", "2"]]
    page.locator('[aria-label^="Wrong rows of t"] a').click()
    page.locator("#panel h2", has_text=ITEM).wait_for()
    assert "report=blame-" in page.url
    page.reload()
    settled(page)
    blamed.first.wait_for()
    address = page.url
    page.locator('#views [data-view="charts"]').click()
    page.locator(".choices a").first.wait_for()
    page.get_by_role("link", name="t", exact=True).click()
    page.locator("#problem", has_text="No record of t is known").wait_for()
    page.goto(address)
    settled(page)


def test_neo4j_browser_has_queries_on_this_warehouse(page: Any, served: Served) -> None:
    shows(page, f"view=browser&item={ITEM}")
    links = page.locator("#view h3 a")
    expected = {each.title: each for each in queries(served.house.layout.warehouse_id())}
    shown = {each.inner_text(): parse_qs(each.get_attribute("href") or "") for each in links.all()}
    assert {"Which table derives from which"} <= shown.keys() <= expected.keys()
    assert all(shown[title]["arg"] == [expected[title].text] for title in shown)
    missing = " ".join(page.locator("#view li").all_inner_texts())
    assert all(title in missing for title in expected.keys() - shown.keys())
    page.locator("#item-view button").click()
    link = page.locator("#item-view a", has_text=f"The lineage of {ITEM}")
    assert "Item" in parse_qs(link.get_attribute("href") or "")["arg"][0]


def test_a_name_of_any_characters_is_text(page: Any) -> None:
    shows(page, "item=t%3A0&dir=upstream")
    page.locator(".box:not(.asked) .main").click()
    settled(page)
    odd = page.locator(".box.item:not(.asked)")
    odd.wait_for()
    assert odd.get_attribute("data-name") == ODD
    assert page.locator(".box b").count() == 0
    odd.locator(".small").click()
    page.wait_for_function(
        "(name) => document.querySelector('.box.asked')?.dataset.name === name", arg=ODD
    )


def test_the_asked_item_is_whole_and_in_sight_and_no_text_is_small(page: Any) -> None:
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        shows(page, f"item={ITEM}&by=op&open=%3C12%20op%3Aop%201&w={width}")
        found = page.evaluate("""() => {
            const frame = document.querySelector("#picture").getBoundingClientRect();
            const asked = document.querySelector(".box.asked").getBoundingClientRect();
            const every = [...document.querySelectorAll("body *")];
            const texts = every.filter((one) => one.textContent.trim() && one.checkVisibility());
            return {
                seen: asked.left >= frame.left - 1 && asked.right <= frame.right + 1,
                least: Math.min(...texts.map((one) => parseFloat(getComputedStyle(one).fontSize))),
                wide: document.documentElement.scrollWidth <= innerWidth,
            };
        }""")
        assert found["seen"]
        assert found["least"] >= 11
        assert found["wide"]
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("width", [360, 1280])
def test_a_shared_address_shows_the_group_that_it_opens(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    shows(page, "")
    shows(page, f"item={ITEM}&by=op&dir=downstream&open=%3E9%20op%3Aop%200&open=%3E9%20op%3Aop%201")
    found = page.evaluate("""() => {
        const frame = document.querySelector("#picture").getBoundingClientRect();
        const within = (one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return top >= Math.max(frame.top, 0) && bottom <= Math.min(frame.bottom, innerHeight)
                && left >= frame.left && right <= frame.right;
        };
        const all = (of) => [...document.querySelectorAll(of)].filter(within).length;
        return [all(".box.asked"), all('.box.item[data-group="op:op 1"]')];
    }""")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert min(found) > 0


def test_signs_are_explained_by_the_keyboard_too(page: Any) -> None:
    shows(page, "item=11.18")
    signs = page.locator(".legend dt").all_inner_texts()
    assert [sign[0] for sign in signs] == ["\N{MULTIPLICATION SIGN}", "+"]
    several = page.locator(".line-label[tabindex]").first
    assert several.inner_text().endswith(signs[1])
    several.focus()
    assert "triple" in several.evaluate("(one) => getComputedStyle(one, '::after').content")


def test_boxes_and_labels_do_not_overlap(page: Any) -> None:
    shows(page, f"item={ITEM}&by=op&open=%3C12%20op%3Aop%201&open=%3E8%20op%3Aop%202")
    overlaps = page.evaluate("""() => {
        const every = [...document.querySelectorAll(".box, .line-label")];
        const all = every.map((one) => one.getBoundingClientRect());
        const beside = (a, b) => a.left < b.right - 1 && b.left < a.right - 1;
        const meet = (a, b) => beside(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        return all.flatMap((a, at) => all.slice(at + 1).filter((b) => meet(a, b))).length;
    }""")
    assert overlaps == 0


def test_the_keyboard_walks_from_box_to_box(page: Any) -> None:
    shows(page, f"item={ITEM}")
    page.locator(".box.asked .main").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => document.activeElement.closest('.box').dataset.kind") == "table"
    page.keyboard.press("Enter")
    settled(page)
    page.locator(".box.item:not(.asked)").first.wait_for()
    focused = "() => ({ ...document.activeElement.closest('.box').dataset })"
    assert page.evaluate(focused)["kind"] == "item"
    assert page.evaluate(focused)["name"] != ITEM
    page.locator('#choose-by [data-value="op"]').press("Enter")
    settled(page)
    assert page.evaluate("() => document.activeElement.dataset.value") == "op"
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "search-text"


def test_a_path_leads_from_one_item_to_another(page: Any, served: Served) -> None:
    hops, start = max((depth, item) for item, depth in served.oracle.ask(ITEM, "upstream").items)
    shows(page, f"view=path&from={start}&to={ITEM}")
    assert page.locator("#said").inner_text().startswith(f"{hops} hop")
    assert page.locator("tbody tr").count() == hops == page.locator(".box").count() - 1
    assert page.locator(".box.asked").get_attribute("data-name") == ITEM


def test_all_paths_are_drawn_by_table_and_a_table_lists_its_triples(page: Any) -> None:
    shows(page, "view=path&from=t:0&to=t:280&all=yes")
    count = page.locator('[aria-label="Triples of the path"] tbody tr').count()
    assert count > 60
    page.locator(".box.table .main").click()
    settled(page)
    assert page.locator('[aria-label$="from or to t"] tbody tr').count() == count
    page.get_by_role("button", name="Of all tables").click()
    page.locator('[aria-label="Triples of the path"]').wait_for()


def test_the_address_has_the_list_of_groups_without_a_box(page: Any) -> None:
    def with_rest(route: Any) -> None:
        box = {"kind": "rest", "name": "", "table": None, "group": "", "items": 3, "depth": 1}
        rest = [{"key": f"op:u{n}", "kind": "op", "name": f"u{n}", "items": n} for n in (1, 2)]
        found = route.fetch().json()
        route.fulfill(json={**found, "boxes": [*found["boxes"], box], "rest": rest})

    page.route("**/v1/page/picture", with_rest)
    shows(page, f"item={ITEM}&dir=upstream")
    page.locator(".box.rest .main").click()
    groups = page.locator("#panel .items button")
    page.wait_for_url("**rest=%3C*")
    page.reload()
    settled(page)
    assert groups.all_inner_texts() == ["u1", "u2"]
    groups.first.click()
    page.wait_for_url("**open=%3C0+op%3Au1*")
    settled(page)
    page.unroute("**/v1/page/picture")


def test_what_if_strikes_an_item(page: Any, served: Served) -> None:
    shows(page, "view=what-if&strike=11.0")
    reply = served.get("/v1/what-if", items="11.0").json()
    assert "1 struck" in page.locator(".box.deleted").inner_text()
    assert f"{reply['undecided']} item" in page.locator("#said").inner_text().replace(",", "")
    fates = {"11.0": "", **{each["item"]: each["fate"] for each in reply["items"]}}
    unsure = {t for t in served.triples if t.src in fates and fates.get(t.dst) == "undecided"}
    lacks = page.locator('#missing [aria-label="Why"] tbody tr').all_inner_texts()
    assert [each.split("\t")[:2] for each in lacks] == [
        [op or "(no op)", "not recorded"] for op in sorted({t.op for t in unsure})
    ]
    page.locator(".chip.struck").click()
    page.locator("#said", has_text="Nothing is changed").wait_for()


def test_generations_are_listed_and_compared(page: Any, served: Served) -> None:
    number = served.get("/v1/generations").json()[-1]["generation"]
    page.evaluate("() => { location.hash = 'view=runs'; }")
    page.locator("#said", has_text="generation").wait_for()
    page.locator(f'[aria-label="Ask as of generation {number}"]').wait_for()
    page.evaluate(f"() => {{ location.hash = 'view=changes&item={ITEM}&since={number}'; }}")
    page.locator("#said", has_text="0 items came, 0 items went").wait_for()
    page.evaluate("() => { location.hash = 'view=revisions'; }")
    page.locator("#said", has_text="No workflow has a revision").wait_for()


@pytest.mark.long
def test_the_colours_follow_the_system_and_the_button(page: Any) -> None:
    page.emulate_media(color_scheme="dark")
    theme = "() => document.documentElement.dataset.theme"
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    page.locator("#theme").click()
    assert page.evaluate(theme) == "light"
