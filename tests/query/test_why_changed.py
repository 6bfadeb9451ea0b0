"""Reported changes of aggregates equal changes computed from the rows of both ingests."""

import csv
from collections.abc import Callable
from math import fsum
from random import Random

import pytest

from helpers.derivations import Row
from helpers.operations import Operation, write_operations
from helpers.warehouse import House
from provhouse.care.retract import Retracting, retract
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.model.semiring import Evaluating
from provhouse.query.consequences.evaluation import CYCLE, INEXACT, evaluate
from provhouse.query.consequences.why_changed import SEVERAL, WhyChanged, why_changed
from provhouse.query.lineage.ask import Asker

Houses = Callable[..., House]
FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": fsum, "count": lambda values: float(len(values)), "max": max,
    "avg": lambda values: fsum(values) / len(values),
}  # fmt: skip
OPS = [Operation(name, function=name) for name in FUNCTIONS]
Inputs = dict[str, tuple[float, int]]


def take_in(house: House, name: str, rows: list[Row]) -> None:
    """Ingest rows from a CSV file with the given name."""
    folder = house.settings.warehouse.parent
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    house.ingest_files(path, operations=write_operations(folder / "ops.csv", OPS))


def compared(house: House, item: str, since: int, limit: int = 100) -> WhyChanged:
    def asker(as_of: object) -> Asker:
        return Asker(house.settings, Silent(), as_of)  # type: ignore[arg-type]

    return why_changed(item, since, None, limit, asker)


def of(inputs: Inputs, item: str, function: str) -> list[Row]:
    return [Row(src, item, function, "", "", "aggregate", value, times)
            for src, (value, times) in inputs.items()]  # fmt: skip


def computed(function: str, inputs: Inputs) -> float:
    return FUNCTIONS[function]([value for value, times in inputs.values() for _ in range(times)])


@pytest.mark.long
def test_differences_are_those_of_both_computations(houses: Houses) -> None:
    random = Random(5)
    house = houses()
    before: Inputs = {
        f"in/{n}": (random.uniform(-9, 9), random.choice([1, 1, 3])) for n in range(12)
    }
    take_in(house, "first", [row for one in FUNCTIONS for row in of(before, f"made/{one}", one)])
    changed = {f"in/{n}": (random.uniform(-9, 9), 2) for n in range(4)}
    retract(Retracting(items=[*before]), house.settings, Silent())
    came = {f"new/{n}": (random.uniform(-9, 9), 1) for n in range(3)}
    after = before | changed | came
    for gone in ("in/4", "in/5"):
        del after[gone]
    take_in(house, "second", [row for one in FUNCTIONS for row in of(after, f"made/{one}", one)])
    for function in FUNCTIONS:
        found = compared(house, f"made/{function}", 1)
        (value,) = found.values.to_pylist()
        assert (value["op"], value["function"], value["reason"]) == (function, function, None)
        assert value["before"] == pytest.approx(computed(function, before))
        assert value["after"] == pytest.approx(computed(function, after))
        assert value["difference"] == pytest.approx(value["after"] - value["before"])
        rows = found.inputs.to_pylist()
        names = {what: {row["input"] for row in rows if row["change"] == what}
                 for what in ("came", "went", "changed")}  # fmt: skip
        assert names["came"] == {*came}
        assert names["went"] == {"in/4", "in/5"}
        if function != "count":  # a count uses how often an input counts, but not its value
            assert names["changed"] == {*changed}
        assert (found.came, found.went, found.changed) == tuple(map(len, names.values()))
        shares = [row["share"] for row in rows]
        if function == "max":
            assert {*shares} == {None}
            continue
        assert fsum(shares) == value["difference"]
        assert [abs(share) for share in shares] == sorted(map(abs, shares), reverse=True)
    cut = compared(house, "made/sum", 1, 2)
    assert (cut.cut, cut.inputs.num_rows, cut.came) == (True, 2, 3)


@pytest.mark.long
def test_an_item_that_an_op_made_twice_has_no_value(houses: Houses) -> None:
    house = houses()
    take_in(house, "first", of({"a": (1.0, 1)}, "made", "sum"))
    take_in(house, "second", of({"b": (2.0, 1)}, "made", "sum"))
    found = compared(house, "made", 1)
    (value,) = found.values.to_pylist()
    assert (value["before"], value["after"], value["reason"]) == (1.0, None, SEVERAL)
    assert [row["share"] for row in found.inputs.to_pylist()] == [None]


@pytest.mark.long
def test_what_cannot_be_compared_says_why(houses: Houses) -> None:
    house = houses()
    take_in(house, "first", [
        Row("a", "x", "median", "", "", "aggregate", 1.0), Row("a", "y", "copy"),
        Row("a", "z", "sum", "", "", "aggregate"),
    ])  # fmt: skip
    take_in(house, "second", [
        Row("b", "x", "median", "", "", "aggregate", 1.0), Row("b", "y", "copy"),
        Row("b", "z", "sum", "", "", "aggregate"), Row("b", "n", "avg", "", "", "aggregate", 2.0),
    ])  # fmt: skip
    reasons = {item: compared(house, item, 1).values.to_pylist() for item in "xyzn"}
    assert "no function" in reasons["x"][0]["reason"]
    assert "no value" in reasons["z"][0]["reason"]
    assert reasons["y"] == []
    assert reasons["n"] == [{"op": "avg", "function": "avg", "before": None, "after": 2.0,
                             "difference": None, "reason": None}]  # fmt: skip
    for item in "xyz":  # y and z have no values, and JSON cannot contain NaN for them
        for row in compared(house, item, 1).inputs.to_pylist():
            assert (row["before"], row["after"]) == (None, 1.0 if item == "x" else None)
    plain = compared(house, "y", 1)
    assert [(row["input"], row["change"], row["share"]) for row in plain.inputs.to_pylist()] == [
        ("b", "came", None)
    ]
    new = compared(house, "n", 1)
    assert (new.since.stored, new.until.stored, new.came) == (False, True, 1)
    with pytest.raises(NotFound):
        compared(house, "nowhere", 1)


@pytest.mark.long
def test_an_item_is_evaluated_from_weights_of_its_sources(houses: Houses) -> None:
    house = houses()
    take_in(house, "first", [
        Row("a", "j", "join", "", "1", "all"), Row("b", "j", "join", "", "1", "all"),
        Row("j", "u", "union", "", "", "any"), Row("c", "u", "union", "", "", "any"),
        Row("u", "s", "sum", "", "", "aggregate", 1.0),
        Row("d", "s", "sum", "", "", "aggregate", 2.0),
        Row("e", "f", "any", "", "", "any"), Row("f", "g", "any", "", "", "any"),
        Row("g", "f", "any", "", "", "any"),
    ])  # fmt: skip
    weights = {"a": 0.5, "b": 0.5, "c": 0.125, "d": 0.75, "elsewhere": 1.0}
    with house.asker() as asker:

        def value(item: str, semiring: str, how: str = "any") -> float | None:
            found = evaluate(asker, Evaluating(item, semiring, weights, how))  # type: ignore[arg-type]
            assert found.low == found.high
            return found.low

        assert value("u", "trust") == 0.25
        assert value("u", "cost") == 0.125
        assert value("s", "trust") == 0.75
        assert value("s", "trust", "all") == 0.25 * 0.75
        assert value("s", "access", "all") == 0.75
        assert value("a", "trust") == 0.5
        found = evaluate(asker, Evaluating("u", "count", {}))
        assert (found.low, found.used, found.unused) == (2.0, 0, 0)
        assert evaluate(asker, Evaluating("u", "trust", weights)).unused >= 1
        assert evaluate(asker, Evaluating("g", "count", {})).reason == CYCLE
        assert evaluate(asker, Evaluating("g", "trust", {"e": 0.5})).low == 0.5
        for wrong in ({"a": 2.0}, {"a": -1.0}, {"j": 0.5}, {"a": float("nan")}):
            with pytest.raises(UsageError):
                evaluate(asker, Evaluating("u", "trust", wrong))
        with pytest.raises(UsageError):
            evaluate(asker, Evaluating("u", "count", {"a": 0.5}))


def test_derivations_that_double_precision_cannot_count_are_not_counted(houses: Houses) -> None:
    """Each item has two derivations from the previous item."""
    house = houses()
    rows = [Row(f"x{n}", f"x{n + 1}", op, "", "", "any") for n in range(1_100) for op in "ab"]
    take_in(house, "rows", rows)
    with house.asker() as asker:
        for levels, low in ((52, 2.0**52), (53, None), (1_100, None)):
            found = evaluate(asker, Evaluating(f"x{levels}", "count", {}))
            assert (found.low, found.high) == (low, low)
            assert found.reason == (INEXACT if low is None else None)
