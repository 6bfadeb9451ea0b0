"""The generated tables in `docs` show the committed results."""

import json

from benchmarks import tables
from benchmarks.questions import explain as explain_table
from benchmarks.questions import methods, methods_table
from benchmarks.questions.classes import KINDS


def test_pages_are_up_to_date() -> None:
    for page, name, between in tables.pages():
        text = (tables.DOCS / page).read_text(encoding="utf-8")
        assert text == tables.placed(text, name, between), "run `python -m benchmarks.tables`"


def test_text_changes_only_between_the_markers() -> None:
    once = tables.placed("a\n<!-- x -->\nold\n<!-- /x -->\nb\n", "x", "new")
    assert once == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    assert tables.placed(once, "x", "new") == once
    assert tables.placed(once, "y", "new") is None
    assert tables.placed("no end <!-- x -->", "x", "new") is None


def test_results_do_not_identify_the_machine() -> None:
    for runs in methods.RESULTS.read().values():
        for run in runs.values():
            assert set(run["on"]["machine"]) == {"cpu", "cores", "memory_gib"}
            assert "/" not in json.dumps(run["on"]["versions"])


def test_every_method_answered_every_class() -> None:
    for runs in methods.RESULTS.read().values():
        for run in runs.values():
            names = [(each["name"], each["direction"]) for each in run["classes"]]
            assert names == [(kind.name, kind.direction) for kind in KINDS]
            for each in run["classes"]:
                assert set(each["methods"]) == {*methods_table.NAMES, *methods_table.ALONE}
                assert each["least"] <= each["answer"]["items"] <= each["most"]


def test_nine_in_ten_estimates_are_within_a_factor_of_two() -> None:
    """Most estimates with the constants in `query/reading/cost.py` are near the measured times."""
    for name, one in explain_table.RESULTS.read().items():
        pairs = explain_table.estimated(one)["csprov"]
        assert len(pairs) == 200
        assert explain_table.near(pairs) >= 0.9, name
