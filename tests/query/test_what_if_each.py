"""An aggregate's value without one input equals the answer of a what-if question about it."""

import csv
import json
from collections.abc import Callable, Iterator
from io import StringIO
from math import isclose
from pathlib import Path
from random import Random

import jsonschema
import pytest

from helpers.derivations import Row
from helpers.operations import Operation, write_operations
from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.model.deletion import Deletion
from provhouse.model.operations import FUNCTIONS
from provhouse.output import writer
from provhouse.output.json import JsonWriter
from provhouse.output.results.what_if_each import WhatIfEachResult
from provhouse.query.consequences.what_if import what_if
from provhouse.query.consequences.what_if_each import WhatIfEach, what_if_each
from provhouse.query.lineage.ask import Asker

COMPUTED = [name for name in FUNCTIONS if name != "other"]
SOURCES = 12


@pytest.fixture(scope="module")
def asker(houses: Callable[..., House]) -> Iterator[Asker]:
    """A warehouse with an item for each function, some of which cannot be recomputed."""
    house, random, rows = houses(), Random(7), list[Row]()
    for name in COMPUTED:
        for at in range(SOURCES):
            value, times = random.choice((1.5, -2.25, 0.1, 7.0)), random.choice((1, 1, 3))
            rows.append(Row(f"in/{at}", f"made/{name}", name, "", "", "aggregate", value, times))
    for at in range(2):
        rows.append(Row(f"in/{at}", f"low/{at}", "copy", "", "", "all"))
        rows.append(Row(f"low/{at}", "made/one", "sum", "", "", "aggregate", 2.0, 1))
        rows.append(Row(f"in/{at}", "made/nested", "sum", "", "", "aggregate", 1.0, 1))
        rows.append(Row(f"low/{at}", "made/nested", "sum", "", "", "aggregate", 2.0, 1))
        rows.append(Row(f"in/{at}", "made/bare", "sum", "", "", "aggregate"))
        rows.append(Row(f"in/{at}", "made/strange", "strange", "", "", "aggregate", 1.0, 1))
    rows.append(Row("in/0", "made/single", "sum", "", "", "aggregate", 3.0, 1))
    folder = house.settings.warehouse.parent
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    ops = [Operation(name, function=name) for name in COMPUTED]
    house.ingest_files(folder / "rows.csv", operations=write_operations(folder / "ops.csv", ops))
    with house.asker() as opened:
        yield opened


def found(asker: Asker, item: str, limit: int = 100) -> dict[str, float | None]:
    rows = what_if_each(asker, item, limit).inputs.to_pylist()
    return {row["item"]: row["after"] for row in rows}


@pytest.mark.parametrize("item", one_in(6, [*(f"made/{name}" for name in COMPUTED), "made/one"]))
def test_each_alternative_is_the_answer_of_what_if(asker: Asker, item: str) -> None:
    each = what_if_each(asker, item, 100)
    (aggregate,) = each.values.to_pylist()
    for row in each.inputs.to_pylist():
        rows = what_if(asker, Deletion(items=(row["item"],))).changed.to_pylist()
        values = {one["item"]: (one["before"], one["after"]) for one in rows}
        before, after = values.get(item, (aggregate["before"], aggregate["before"]))
        assert isclose(aggregate["before"], before, rel_tol=1e-15)
        assert isclose(row["after"], after, rel_tol=1e-15)
        assert isclose(row["change"], after - before, rel_tol=1e-12, abs_tol=1e-15)
    assert len(each.inputs) == aggregate["inputs"] == (2 if item == "made/one" else SOURCES)


def test_the_largest_changes_come_first(asker: Asker) -> None:
    changes = what_if_each(asker, "made/sum", 100).inputs["change"].to_pylist()
    assert [*map(abs, changes)] == sorted(map(abs, changes), reverse=True)
    cut = what_if_each(asker, "made/sum", 3)
    assert (cut.inputs["change"].to_pylist(), cut.cut) == (changes[:3], True)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("made/nested", "an input is derived from another one, or from the item"),
        ("made/bare", "an input has no value"),
        ("made/strange", "its op has no function that can be computed again"),
    ],
)
def test_what_is_not_known_has_a_reason(asker: Asker, item: str, reason: str) -> None:
    each = what_if_each(asker, item, 100)
    assert each.values["reason"].to_pylist() == [reason]
    assert not len(each.inputs)


def test_without_its_only_input_nothing_is_left(asker: Asker) -> None:
    assert found(asker, "made/single") == {"in/0": None}
    assert not len(what_if_each(asker, "low/0", 100).values)


@pytest.mark.parametrize("item", ["made/sum", "made/nested", "made/single", "low/0"])
def test_json_is_as_its_schema_says(asker: Asker, item: str) -> None:
    text, each = StringIO(), what_if_each(asker, item, 100)
    JsonWriter(text).write(WhatIfEachResult(each))
    file = Path(writer.__file__).with_name("schemas") / "what-if-each.json"
    jsonschema.validate(json.loads(text.getvalue()), json.loads(file.read_text()))
    assert _printed(each)


def _printed(each: WhatIfEach) -> bool:
    return bool([*WhatIfEachResult(each).text()]) and bool(WhatIfEachResult(each).csv()[0])
