"""Names fit into their boxes and stay distinct, and the asked item's name is never shortened."""

from random import Random

import pytest

from provhouse.pictures.captions import captions
from provhouse.pictures.picture_graph import Box
from provhouse.pictures.widths import TITLE, breadth, broken, cut

ROOM = 150


def box(name: str, table: str | None = None, **more: object) -> Box:
    return Box("item", name, table, 1, **more)  # type: ignore[arg-type]


def titles(*boxes: Box) -> list[str]:
    return ["".join(caption.title) for caption in captions(boxes, ROOM)]


def test_a_long_name_is_cut_in_the_middle() -> None:
    (title,) = titles(box("2026-03-01/berlin/sensor-000017/reading-42"))
    begin, end = title.split("…")
    assert "2026-03-01/berlin/sensor-000017/reading-42".startswith(begin)
    assert "2026-03-01/berlin/sensor-000017/reading-42".endswith(end)
    assert min(len(begin), len(end)) > 5
    assert breadth(title, TITLE, bold=True) <= ROOM


@pytest.mark.parametrize(
    ("name", "table", "title"),
    [
        ("orders/17", "orders", "17"), ("orders:17", "orders", "17"), ("orders.17", "orders", "17"),
        ("orders17", "orders", "orders17"), ("orders/", "orders", "orders/"),
        ("orders/17", "invoices", "orders/17"), ("orders/17", None, "orders/17"),
        ("orders/17", "", "orders/17"), ("", "t", "(no name)"),
    ],
)  # fmt: skip
def test_a_name_is_without_the_table_that_stands_below(
    name: str, table: str | None, title: str
) -> None:
    (caption,) = captions([box(name, table)], ROOM)
    assert caption.title == (title,)
    assert caption.below == (table or "item",)


def test_the_asked_name_is_whole() -> None:
    name = (
        "revenue/" + "a very long name of a figure, as the controller reports it, " * 5 + "x" * 90
    )
    (caption,) = captions([box(name, "revenue", asked=True)], ROOM)
    assert "".join(caption.title) == name
    assert all(breadth(line, TITLE, bold=True) <= ROOM * 1.3 for line in caption.title)


def test_names_that_would_look_the_same_are_told_apart() -> None:
    names = [f"the same beginning {n:04} and the same long end of it" for n in range(40)]
    found = titles(*(box(name) for name in names))
    assert len({*found}) == 40
    assert all(f"{n:04}" in title for n, title in enumerate(found))
    assert all(breadth(title, TITLE, bold=True) <= ROOM for title in found)


def test_random_names_are_told_apart() -> None:
    random = Random(5)
    for _ in range(200):
        names = {
            "".join(random.choice("ab/1漢") for _ in range(random.randint(1, 60)))
            for _ in range(12)
        }
        boxes = [box(name, "t") for name in sorted(names)]
        assert len({caption.title for caption in captions(boxes, ROOM)}) == len(names)


def test_what_happens_stands_on_the_box() -> None:
    group = Box("item", "", "orders", 5, 5, counts={"dies": 4, "changed": 1})
    one = box("orders/1", "orders", counts={"dies": 1})
    value = box("total/1", "total", counts={"changed": 1}, detail="12 → 7")
    added = Box("table", "orders", None, 0, counts={"came": 2, "went": 1})
    assert [caption.below for caption in captions([group, one, value, added], ROOM)] == [
        ("orders", "4 die, 1 changes"),
        ("orders", "dies"),
        ("total", "12 → 7"),
        ("table", "2 added, 1 removed"),
    ]


def test_broken_text_is_whole_and_cut_text_fits() -> None:
    random = Random(1)
    for _ in range(300):
        text = "".join(random.choice("abc /-_漢😀iW") for _ in range(random.randint(0, 80)))
        assert "".join(broken(text, 90, TITLE)) == text
        assert breadth(cut(text, 90, TITLE), TITLE) <= 90
