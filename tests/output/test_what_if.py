"""Results of questions about derivations match their schemas and can be read by people."""

import io
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from helpers.results import ODD
from provhouse.model.answer import Read
from provhouse.model.deletion import Deletion
from provhouse.output import arrow_writer as arrow_stream
from provhouse.output.json import JsonWriter
from provhouse.output.results.dependency import DependencyResult
from provhouse.output.results.evaluation import EvaluationResult
from provhouse.output.results.what_if import WhatIfResult
from provhouse.output.results.why import WhyResult
from provhouse.output.results.why_changed import WhyChangedResult
from provhouse.output.shown_result import ShownResult
from provhouse.output.table import console
from provhouse.query.consequences.depends import Dependency
from provhouse.query.consequences.evaluation import Evaluation
from provhouse.query.consequences.what_if import WhatIf
from provhouse.query.consequences.why import Why, expressed
from provhouse.query.consequences.why_changed import WhyChanged
from provhouse.query.lineage.diff import Side

from .test_json import valid

HEADER: dict[str, Any] = {
    "generation": 3, "time": "2026-01-02T03:04:05Z", "complete": True,
    "read": Read(2, 1, 17), "seconds": {"fetch": 0.03, "total": 0.04},
}  # fmt: skip


@pytest.fixture
def found() -> WhatIf:
    """An answer with an item of each fate and with a change of each kind."""
    return WhatIf(
        deletion=Deletion((ODD,), ("raw",), (("by", "x"),)), deleted=2, deleted_triples=0, dies=1,
        survives=2, undecided=1, changed_items=1, not_recomputed=1, erased=1,
        tables=pa.table({"table": ["", "raw"], "dies": [1, 0], "changed": [0, 1],
                         "undecided": [0, 1], "survives": [1, 0]}),
        items=pa.table({"item": [ODD, "b", "c", "d"], "table": ["", "raw", "raw", ""],
                        "fate": ["dies", "changed", "undecided", "survives"]}),
        changed=pa.table({"item": ["b", "b"], "table": ["raw", "raw"], "op": ["sum", "top"],
                          "function": ["sum", "max"], "before": [3.5, 2.0], "after": [1.0, None],
                          "inputs_lost": [1, 2]}),
        unknown=pa.table({"item": ["d"], "table": [""], "op": ["f"], "reason": ["why not"]}),
        may_create=pa.table({"op": ["minus"], "inputs_lost": [1]}),
        exactness="exact", exactness_triples={"exact": 2}, **HEADER,
    )  # fmt: skip


def json_of(result: ShownResult) -> str:
    handle = io.StringIO()
    JsonWriter(handle).write(result)
    return handle.getvalue()


def text_of(result: ShownResult) -> str:
    handle = io.StringIO()
    screen = console(handle)
    for section in result.text():
        screen.print(section)
    return handle.getvalue()


def test_what_if_follows_its_schema(found: WhatIf) -> None:
    value = valid("what-if", json_of(WhatIfResult(found)))
    assert value["delete"] == {"items": [ODD], "tables": ["raw"], "where": [["by", "x"]]}
    assert value["items"][0] == {"item": ODD, "table": "", "fate": "dies"}
    assert value["changed"][1]["after"] is None
    names, rows = WhatIfResult(found).csv()
    assert (names, len([*rows])) == (["item", "table", "fate"], 4)


def test_what_if_is_printed_for_people(found: WhatIf) -> None:
    text = " ".join(text_of(WhatIfResult(found)).split())
    assert "Without 2 items, of 4 items downstream 1 would not exist, 1 would change" in text
    assert "may create items that are not stored" in text
    assert "nothing" in text
    assert "\x1b[31m" not in text


def test_what_if_is_the_same_after_arrow(found: WhatIf) -> None:
    content = b"".join(arrow_stream.pieces(found))
    assert arrow_stream.read(WhatIf, content) == replace(found)


def test_depends_follows_its_schema() -> None:
    found = Dependency(item="a", on="b", exists="yes", derived=True, smallest=("c", "d"),
                       searched=True, **HEADER)  # fmt: skip
    assert valid("depends", json_of(DependencyResult(found)))["smallest"] == ["c", "d"]
    none = replace(found, smallest=None, exists="undecided", searched=False)
    assert valid("depends", json_of(DependencyResult(none)))["smallest"] is None
    assert "would still exist" in text_of(DependencyResult(found))
    assert "too long" in text_of(DependencyResult(none))


def test_why_follows_its_schema() -> None:
    rows = [
        {
            "item": "a",
            "op": "join",
            "kind": "all",
            "function": None,
            "inputs": ["b", ODD],
            "more": 2,
        }
    ]
    found = Why(item="a", expression="b & c", derivations=pa.Table.from_pylist(rows), cut=True,
                **HEADER)  # fmt: skip
    assert valid("why", json_of(WhyResult(found)))["derivations"] == rows
    assert "and 2 more" in text_of(WhyResult(found))


def test_an_expression_is_cut_and_has_no_cycles() -> None:
    def row(item: str, kind: str, *inputs: str, more: int = 0) -> dict[str, object]:
        return {"item": item, "op": "", "kind": kind, "function": None, "inputs": [*inputs],
                "more": more}  # fmt: skip

    rows = [row("a", "all", "b", "c"), row("a", "any", "d"), row("b", "unknown", "a", "e")]
    assert expressed(rows, "a") == "?(a, e) & c | d"
    assert expressed(rows, "a", 2) == "b & … | d"
    assert expressed([row("a", "except", "b", more=3)], "a") == "except(b, …)"


def test_why_changed_follows_its_schema() -> None:
    sides = (Side(1, "2026-01-01T00:00:00Z", stored=True, erased=0),
             Side(3, "2026-01-02T03:04:05Z", stored=False, erased=1))  # fmt: skip
    value = {"op": "sum", "function": "sum", "before": 3.0, "after": None, "difference": -3.0,
             "reason": None}  # fmt: skip
    one = {"op": "sum", "input": ODD, "change": "went", "before": 3.0, "after": None,
           "times_before": 1, "times_after": None, "share": -3.0}  # fmt: skip
    found = WhyChanged(
        item="a", since=sides[0], until=sides[1], came=0, went=2, changed=0, cut=True,
        values=pa.Table.from_pylist([value]), inputs=pa.Table.from_pylist([one]),
        seconds={"from": 0.1, "to": 0.1, "compare": 0.1, "total": 0.3},
    )  # fmt: skip
    shown = valid("why-changed", json_of(WhyChangedResult(found)))
    assert (shown["values"], shown["inputs"]) == ([value], [one])
    text = " ".join(text_of(WhyChangedResult(found)).split())
    assert "0 inputs came, 2 went" in text
    assert "not in generation 3" in text
    content = b"".join(arrow_stream.pieces(found))
    assert arrow_stream.read(WhyChanged, content) == found


def test_evaluate_follows_its_schema() -> None:
    found = Evaluation(item="a", semiring="cost", aggregates="any", low=1.0, high=None, reason=None,
                       used=1, unused=2, **HEADER)  # fmt: skip
    shown = valid("evaluate", json_of(EvaluationResult(found)))
    assert (shown["low"], shown["high"]) == (1, None)
    assert "between 1 and nothing" in " ".join(text_of(EvaluationResult(found)).split())
    none = replace(found, low=None, reason="no way")
    assert "is not known: no way" in text_of(EvaluationResult(none))
    assert arrow_stream.read(Evaluation, b"".join(arrow_stream.pieces(found))) == found
