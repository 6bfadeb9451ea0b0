"""The page of a view in a real browser.

Whatever is folded by clicks, the page shows what a view with the same folds shows.
"""

import csv
import json
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helpers.browser import chromium
from helpers.warehouse import House
from provhouse.model.errors import UsageError
from provhouse.model.question import Question
from provhouse.model.zoom import Level
from provhouse.output.results.level_view import ZoomedResult
from provhouse.output.zoom_page import zoom_page
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
Shown = tuple[list[tuple[str, str, int]], list[tuple[str, str, str, int]]]


def trace(seed: int) -> list[tuple[str, ...]]:
    """Return rows of modules that are invoked several times, and that pass on items and state."""
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


def expected(asker: Asker, level: Level, folds: tuple[str, ...]) -> Shown:
    view = zoom(asker, Question(ASKED, "upstream"), level, folds)
    rows = view.nodes.to_pylist()
    call = ("name", "run", "execution", "invocation")
    names = {row["node"]: " ".join(row[part] for part in call if row[part]) for row in rows}
    return (
        sorted((row["kind"], names[row["node"]], row["items"]) for row in rows),
        sorted((names[r["from"]], names[r["to"]], r["op"], r["triples"])
               for r in view.edges.to_pylist()),
    )  # fmt: skip


def shown(page: Any) -> Shown:
    nodes = page.eval_on_selector_all(
        "#picture g[data-node]",
        "all => all.map((g) => [g.dataset.kind, g.dataset.name, Number(g.dataset.items)])",
    )
    rows = page.eval_on_selector_all(
        "#edges tr", "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    edges = ((source, made, op, int(n.replace(",", ""))) for made, source, op, n in rows)
    return sorted(map(tuple, nodes)), sorted(edges)


@pytest.mark.parametrize(
    ("level", "every"),
    [
        ("table", 8),
        pytest.param("record", 8, marks=pytest.mark.long),
        *(pytest.param(level, 1, marks=pytest.mark.long) for level in LEVELS),
    ],
)
def test_every_view_is_what_the_warehouse_answers(
    asker: Asker, page: Any, level: Level, every: int, tmp_path: Path
) -> None:
    """Fold and unfold modules by clicks until all combinations, or a part of them, were shown."""
    page.goto(written(asker, level, tmp_path))
    names = ("check", "clean", "join", "report")
    assert page.title().startswith(ASKED)
    folded: set[str] = set()
    sizes = range(len(names) + 1)
    combined = [folds for count in sizes for folds in combinations(names, count)]
    for folds in combined[::-every]:
        for name in folded.symmetric_difference(folds):
            page.locator("#modules button", has_text=name).click()
        folded = {*folds}
        assert shown(page) == expected(asker, level, folds), folds


@pytest.mark.long
def test_a_module_unfolds_by_click_and_by_keys(asker: Asker, page: Any, tmp_path: Path) -> None:
    page.goto(written(asker, "module", tmp_path))
    modules = ("check", "clean", "join", "report")
    everything = expected(asker, "module", modules)
    assert shown(page) == everything
    join = page.locator('#picture g[data-kind="module"][data-name="join"]')
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
def test_a_picture_has_no_empty_space_and_texts_fit(
    asker: Asker, page: Any, tmp_path: Path
) -> None:
    for level in LEVELS:
        page.goto(written(asker, level, tmp_path))
        left, above, right, below = page.evaluate("""() => {
            const svg = document.querySelector("#picture svg");
            const [box, view] = [svg.getBBox(), svg.viewBox.baseVal];
            return [box.x - view.x, box.y - view.y, view.width - (box.x - view.x) - box.width,
                    view.height - (box.y - view.y) - box.height];
        }""")
        assert all(0 <= space <= 20 for space in (left, above, right, below)), level
        spaces = page.eval_on_selector_all(
            "#picture g[data-node]",
            """all => all.flatMap((g) =>
            [...g.querySelectorAll("text")].map((text) =>
                g.querySelector("rect").getBBox().width - text.getBBox().width))""",
        )
        assert min(spaces) > 6, level


@pytest.mark.long
def test_a_wide_picture_shrinks_to_the_page(asker: Asker, page: Any, tmp_path: Path) -> None:
    def widths() -> tuple[int, int]:
        picture = page.locator("#picture")
        return picture.evaluate("p => p.scrollWidth"), picture.evaluate("p => p.clientWidth")

    size = page.locator("#size")
    page.set_viewport_size({"width": 2600, "height": 900})
    page.goto(written(asker, "record", tmp_path))
    assert not size.is_visible()
    page.set_viewport_size({"width": 1400, "height": 900})
    wide, frame = widths()
    assert wide == frame
    size.click()
    wide, frame = widths()
    assert wide > frame
    assert size.inner_text() == "Fit to width"
    size.click()
    wide, frame = widths()
    assert wide == frame
    page.set_viewport_size({"width": 300, "height": 900})
    page.reload()
    wide, frame = widths()
    assert wide > frame  # shrinking it to the frame would make it too small to read
    asked = page.locator('#picture g[data-node="0"] rect').bounding_box()
    assert 0 < asked["x"] < 300


def test_a_page_begins_with_the_modules_that_were_folded(
    asker: Asker, page: Any, tmp_path: Path
) -> None:
    page.goto(written(asker, "record", tmp_path, ("report",)))
    assert shown(page) == expected(asker, "record", ("report",))


def test_a_catalogue_has_no_page(asker: Asker) -> None:
    with pytest.raises(UsageError, match="cannot fold modules"):
        zoom(asker, Question(ASKED, "upstream"), "catalogue", foldable=True)
