"""The README's measured table is the one that the results give."""

import json
from pathlib import Path

import tables

ROOT = Path(__file__).parents[2]


def test_the_readme_holds_what_was_measured() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    expected = tables.placed(readme, tables.methods(tables.read()))
    assert readme == expected, "run `python benchmarks/tables.py`"


def test_text_goes_between_the_markers_and_nowhere_else() -> None:
    once = tables.placed(f"a\n{tables.BEGIN}\nold\n{tables.END}\nb\n", "new")
    assert once == f"a\n{tables.BEGIN}\nnew\n{tables.END}\nb\n"
    assert tables.placed(once, "new") == once
    assert tables.placed(f"no end {tables.BEGIN}", "new") is None


def test_results_tell_of_the_machine_but_not_whose_it_is() -> None:
    results = tables.read()
    assert set(results["machine"]) == {"cpu", "cores", "memory_gib"}
    assert "/" not in json.dumps(results["versions"])


def test_every_class_was_asked_by_every_method() -> None:
    classes = tables.read()["classes"]
    assert [each["name"] for each in classes] == ["small", "large", "impact"]
    for each in classes:
        assert set(each["methods"]) == set(tables.NAMES)
        assert each["least"] <= each["answer"]["items"]["median"] <= each["most"]
