"""The page of a view: it contains each view that the warehouse can answer, as a browser shows."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helpers.browser import chromium
from helpers.warehouse import House
from provhouse.model.errors import UsageError
from provhouse.model.question import Question
from provhouse.model.zoom import Level
from provhouse.output.results.level_view import ZoomedResult, node_names
from provhouse.output.zoom_page import zoom_page
from provhouse.output.zoom_views import views
from provhouse.query.lineage.ask import Asker
from provhouse.query.zoom.zoomed import zoom

COLUMNS = ("src", "dst", "op", "src_table", "dst_table", "module", "invocation", "execution",
           "role", "op_kind")  # fmt: skip
MODULES = [
    {"module": "clean", "ops": ["strip", "look up"], "inputs": ["raw"], "outputs": ["tidy"]},
    {"module": "join", "ops": ["match"], "state": ["state"]},
    {"module": "report", "ops": ["total"]},
]
ASKED = '</script><img src="http://127.0.0.1:9/x" onerror="alert(1)">'
LEVELS: tuple[Level, ...] = ("table", "set", "record")
MODULE_NAMES = ("check", "clean", "join", "report")
Shown = tuple[str, list[tuple[str, str, str, int]]]


def trace(seed: int) -> list[tuple[str, ...]]:
    """Return rows for modules that are invoked several times and that pass on items and state."""
    random = Random(seed)
    rows: list[tuple[str, ...]] = []
    tables = {"raw": [f"raw/{n}" for n in range(8)], "state": ["state/0"], "tidy": ["tidy/0"]}
    steps = (("strip", "raw", "tidy"), ("look up", "raw", "tidy"), ("match", "tidy", "pair"),
             ("match", "state", "pair"), ("total", "pair", "sum"), ("total", "sum", "state"),
             ("audit", "raw", "sum"), ("print", "sum", "page"))  # fmt: skip
    for turn in range(3):
        for op, source, target in steps:
            for number in range(random.randint(1, 3)):
                dst = f"{target}/{turn}.{random.randint(number, 3)}"
                for src in random.sample(
                    tables.get(source, []), min(2, len(tables.get(source, [])))
                ):
                    role = random.choice(["", "", "state", "output"])
                    own = "check" if op == "audit" else ""
                    call = str(random.choice([turn, turn, 9]))
                    rows.append(
                        (src, dst, op, source, target, own, call, f"day {turn}", role, "any")
                    )
                tables.setdefault(target, []).append(dst)
    rows += [(dst, ASKED, "print", "page", "page", "", "", "", "", "any") for dst in tables["page"]]
    return sorted(set(rows))


@pytest.fixture(scope="module")
def asker(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asker]:
    folder, house = tmp_path_factory.mktemp("page"), houses(theta=5, pack=0)
    with (folder / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *trace(4)])
    (folder / "m.json").write_text(json.dumps(MODULES))
    house.ingest_files(folder / "t.csv", modules=folder / "m.json", run="nightly")
    with house.asker() as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """An empty page. When it ends, it must have had no errors and requested only files."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.append(request.url))
    yield page
    assert [one for one in problems if not one.startswith("file:")] == []
    page.close()


def written(asker: Asker, level: Level, folder: Path, folds: tuple[str, ...] = ()) -> str:
    """Write the page of a view to a file, and return the address of the file."""
    view = zoom(asker, Question(ASKED, "upstream"), level, folds, foldable=True)
    path = folder / f"{level}.html"
    path.write_text(zoom_page(json.dumps(*ZoomedResult(view).json())))
    return path.as_uri()


def of_view(view: Any) -> tuple[list[tuple[str, str, int]], list[tuple[str, str, str, int]]]:
    names = node_names(view.nodes)
    rows = zip(view.nodes["node"].to_pylist(), view.nodes["items"].to_pylist(), strict=True)
    return (
        sorted((*names[node], items) for node, items in rows),
        sorted((names[r["from"]][1], names[r["to"]][1], r["op"], r["triples"])
               for r in view.edges.to_pylist()),
    )  # fmt: skip


def expected(asker: Asker, level: Level, folds: tuple[str, ...]) -> Shown:
    nodes, edges = of_view(zoom(asker, Question(ASKED, "upstream"), level, folds))
    return f"{len(nodes)} node{'s' * (len(nodes) != 1)}", edges


def shown(page: Any) -> Shown:
    """Return the number of nodes that the page reports, and the edges of the table."""
    nodes = page.locator("#said").inner_text().split(": ")[-1].split(", ")[0]
    rows = page.eval_on_selector_all(
        "section:not([hidden]) tbody tr",
        "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))",
    )
    edges = ((source, made, op, int(n.replace(",", ""))) for made, source, op, n in rows)
    return nodes, sorted(edges)


@pytest.mark.parametrize("level", LEVELS)
def test_every_view_is_what_the_warehouse_answers(asker: Asker, level: Level) -> None:
    view = zoom(asker, Question(ASKED, "upstream"), level, foldable=True)
    (found,) = ZoomedResult(view).json()
    seen = set()
    classes: Any = found["foldable"]
    for each in views(classes, frozenset()):
        folds = tuple(MODULE_NAMES[at] for at in sorted(each.folded))
        assert of_view(each) == of_view(zoom(asker, Question(ASKED, "upstream"), level, folds))
        seen.add(each.folded)
    assert len(seen) == 2 ** len(MODULE_NAMES)


def test_many_modules_are_unfolded_one_by_one() -> None:
    names = [f"m{at}" for at in range(9)]
    classes: dict[str, Any] = {"modules": names, "nodes": [], "items": [], "triples": []}
    begin, every = frozenset({2, 5}), frozenset(range(9))
    folded = [each.folded for each in views(classes, begin)]
    assert folded == [begin, every, *(every - {at} for at in range(9)), frozenset()]


@pytest.mark.long
def test_a_module_unfolds_by_click_and_by_keys(asker: Asker, page: Any, tmp_path: Path) -> None:
    page.goto(written(asker, "module", tmp_path))
    assert page.title().startswith(ASKED)
    everything = expected(asker, "module", MODULE_NAMES)
    assert shown(page) == everything
    join = page.locator('section:not([hidden]) g[data-module="join"]')
    join.click()
    assert shown(page) == expected(asker, "module", ("check", "clean", "report"))
    assert page.evaluate("document.activeElement.textContent") == "▾ join"
    page.keyboard.press("Enter")
    assert shown(page) == everything
    join.focus()
    page.keyboard.press("Space")
    assert "join unfolded" in page.locator("#said").inner_text()
    page.get_by_role("button", name="Unfold all").click()
    assert shown(page) == expected(asker, "table", ())
    page.get_by_role("button", name="Fold all", exact=True).click()
    assert shown(page) == everything
    with page.expect_download() as download:
        page.get_by_role("button", name="Save picture").click()
    picture = Path(download.value.path()).read_text()
    assert picture.startswith("<svg")
    assert "report" in picture


@pytest.mark.long
def test_a_page_begins_with_the_modules_that_were_folded(
    asker: Asker, page: Any, tmp_path: Path
) -> None:
    page.goto(written(asker, "record", tmp_path, ("report",)))
    assert shown(page) == expected(asker, "record", ("report",))


def test_a_catalogue_has_no_page(asker: Asker) -> None:
    with pytest.raises(UsageError, match="cannot fold modules"):
        zoom(asker, Question(ASKED, "upstream"), "catalogue", foldable=True)
