"""Measured tables are those that the results give."""

import json

import explain_table
import methods_table
import tables
from classes import KINDS


def test_pages_hold_what_was_measured() -> None:
    for page, name, between in tables.pages():
        text = page.read_text(encoding="utf-8")
        assert text == tables.placed(text, name, between), "run `python benchmarks/tables.py`"


def test_text_goes_between_the_markers_and_nowhere_else() -> None:
    once = tables.placed("a\n<!-- x -->\nold\n<!-- /x -->\nb\n", "x", "new")
    assert once == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    assert tables.placed(once, "x", "new") == once
    assert tables.placed(once, "y", "new") is None
    assert tables.placed("no end <!-- x -->", "x", "new") is None


def test_results_tell_of_the_machine_but_not_whose_it_is() -> None:
    for runs in methods_table.RESULTS.read().values():
        for run in runs.values():
            assert set(run["on"]["machine"]) == {"cpu", "cores", "memory_gib"}
            assert "/" not in json.dumps(run["on"]["versions"])


def test_every_class_was_asked_by_every_method() -> None:
    for runs in methods_table.RESULTS.read().values():
        for run in runs.values():
            names = [(each["name"], each["direction"]) for each in run["classes"]]
            assert names == [(kind.name, kind.direction) for kind in KINDS]
            for each in run["classes"]:
                assert set(each["methods"]) == {*methods_table.NAMES, *methods_table.ALONE}
                assert each["least"] <= each["answer"]["items"] <= each["most"]


def test_nine_in_ten_estimates_are_within_two_times() -> None:
    """By the constants as they are now, on what was measured last."""
    for name, one in explain_table.RESULTS.read().items():
        pairs = explain_table.estimated(one)["csprov"]
        assert len(pairs) == 200
        assert explain_table.near(pairs) >= 0.9, name
