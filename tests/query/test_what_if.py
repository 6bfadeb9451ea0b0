"""What-if answers from committed warehouses equal brute-force answers and a re-execution."""

import csv
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helpers import boolean
from helpers.boolean import Edge, random_edges
from helpers.derivations import Row
from helpers.operations import Operation, write_operations
from helpers.shared import Input, Shared, write
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.care.retract import Retracting, retract
from provhouse.model.deletion import Deletion
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.query.consequences.depends import depends
from provhouse.query.consequences.undecided_ops import undecided_ops
from provhouse.query.consequences.what_if import WhatIf, what_if
from provhouse.query.consequences.what_if_each import what_if_each
from provhouse.query.consequences.why import why
from provhouse.query.lineage.ask import Asker

Houses = Callable[..., House]
AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "sum": sum, "count": len, "min": min, "max": max,
    "avg": lambda values: sum(values) / len(values),
    "count_distinct": lambda values: len(set(values)),
}  # fmt: skip
FUNCTIONS = [*AGGREGATES]
OPS = [Operation(name, function=name) for name in FUNCTIONS]


def take_in(house: House, rows: Collection[Row], ops: Collection[Operation] = ()) -> Path:
    """Ingest rows from a CSV file, with descriptions of their ops; return the path of the file."""
    folder = house.settings.warehouse.parent
    path = folder / f"trace{len([*folder.iterdir()])}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    if ops:
        house.ingest_files(path, operations=write_operations(folder / "ops.csv", ops))
    else:
        house.ingest_files(path)
    return path


def made(src: str, dst: str, op: str, value: float | None = None) -> Row:
    """Return a triple that is an input of an aggregate."""
    return Row(src, dst, op, "", "", "aggregate", value)


def fates(found: WhatIf) -> dict[str, str]:
    """Return the fate of each item. An item whose value changes counts as one that survives."""
    assert found.complete
    rows = found.items.to_pylist()
    named = {row["item"]: row["fate"].replace("changed", "survives") for row in rows}
    assert len(named) == len(rows) == found.dies + found.survives + found.undecided
    counted = found.tables.to_pylist()
    assert sum(row["dies"] for row in counted) == found.dies
    assert sum(row["changed"] for row in counted) == found.changed_items
    assert sum(row["changed"] + row["survives"] for row in counted) == found.survives
    return named


def deleted(asker: Asker, *items: str) -> WhatIf:
    return what_if(asker, Deletion(items))


# --- fates ---------------------------------------------------------------------------------------


def traced(edges: list[Edge], prefix: str) -> list[Row]:
    """Return the edges as rows of a trace. No two rows are equal."""
    return [
        Row(
            f"{prefix}.{edge.src}", f"{prefix}.{edge.dst}", f"op{number}", "",
            "" if edge.way < 0 else str(edge.way), edge.kind,
        )
        for number, edge in enumerate(edges)
    ]  # fmt: skip


@pytest.mark.parametrize("graphs", [3, pytest.param(300, marks=pytest.mark.long)])
def test_fates_are_those_of_brute_force(houses: Houses, graphs: int) -> None:
    """Fates are compared on the complete trace, and again after items were retracted and erased."""
    random = Random(graphs)
    house = houses(theta=4, pack=0, partition_triples=20)
    traces = [random_edges(random) for _ in range(graphs)]
    take_in(house, [row for n, edges in enumerate(traces) for row in traced(edges, f"g{n}")])
    gone = {}
    with house.asker() as asker:
        for number, edges in enumerate(traces):
            items = sorted({end for edge in edges for end in edge[:2]})
            chosen = random.sample(items, random.randint(1, min(2, len(items))))
            by_item = boolean.fates(edges, chosen, ())
            expected = {f"g{number}.{item}": fate for item, fate in by_item.items()}
            names = [f"g{number}.{item}" for item in chosen]
            found = deleted(asker, *names)
            assert fates(found) == expected, (edges, chosen)
            doubts = undecided_ops(asker, Deletion(tuple(names)))
            unsure = {
                (f"op{at}", edge.kind or None)
                for at, edge in enumerate(edges)
                if edge.kind not in boolean.SURE
                and by_item.get(edge.dst) == "undecided"
                and (edge.src in chosen or edge.src in by_item)
            }
            assert [(each.op, each.kind) for each in doubts] == sorted(unsure), edges
            gone[number] = chosen[0], random.choice(items)
    retract(Retracting(items=[f"g{n}.{one}" for n, (one, _) in gone.items()]), house.settings,
            Silent())  # fmt: skip
    forget([f"g{n}.{other}" for n, (_, other) in gone.items()], house.settings, Silent())
    with house.asker() as asker:
        for number, (edges, (one, other)) in enumerate(zip(traces, gone.values(), strict=True)):
            _after_changes(asker, edges, number, one, other)


def _after_changes(asker: Asker, edges: list[Edge], number: int, one: int, other: int) -> None:
    """Compare the remaining fates after item ``one`` was retracted and item ``other`` erased."""
    left = [edge for edge in edges if one not in edge[:2]]
    ended = {
        (edge.dst, edge.way)
        for edge in edges
        if one in edge[:2] and edge.kind == "all" and edge.way >= 0
    }
    left = [edge for edge in left if (edge.dst, edge.way) not in ended]
    for item in sorted({end for edge in left for end in edge[:2]} - {one, other}):
        expected = boolean.fates(left, [item], ())
        expected.pop(other, None)
        found = deleted(asker, f"g{number}.{item}")
        assert fates(found) == {f"g{number}.{at}": fate for at, fate in expected.items()}, left


@pytest.mark.long
def test_ops_files_runs_and_tables_are_deleted_as_their_triples_and_items(houses: Houses) -> None:
    house = houses(theta=4, pack=0, partition_triples=3)
    first = take_in(
        house,
        [
            Row("t/a", "t/j", "join", "x", "1", "all"), Row("t/b", "t/j", "join", "x", "1", "all"),
            Row("t/a", "t/u", "union", "x", "", "any"),
        ],
    )  # fmt: skip
    second = take_in(house, [Row("t/b", "t/u", "union", "y", "", "any"), Row("t/u", "t/v", "f")])
    with house.asker() as asker:
        assert fates(what_if(asker, Deletion(ops=("join",)))) == {"t/j": "dies"}
        assert fates(what_if(asker, Deletion(ops=("union",)))) == {"t/u": "dies", "t/v": "dies"}
        alone = what_if(asker, Deletion(files=(str(first),)))
        assert fates(alone) == {"t/j": "dies", "t/u": "survives", "t/v": "survives"}
        assert (alone.deleted, alone.deleted_triples) == (0, 3)
        both = what_if(asker, Deletion(files=(str(first), str(second)), ops=("union",)))
        assert fates(both) == dict.fromkeys(("t/j", "t/u", "t/v"), "dies")
        found = what_if(asker, Deletion(tables=("",), where=(("by", "y"),)))
        assert (found.deleted, fates(found)["t/j"]) == (1, "dies")
        past = what_if(asker, Deletion(("t/a",)), summary=True)
        assert (past.dies, past.survives, past.items.num_rows) == (1, 2, 0)
        for wrong in (Deletion(("no",)), Deletion(ops=("no",)), Deletion(runs=("no",))):
            with pytest.raises(NotFound):
                what_if(asker, wrong)
        for wrong in (Deletion(), Deletion(("t/a",), where=(("by", "x"),))):
            with pytest.raises(UsageError):
                what_if(asker, wrong)
    with Asker(house.settings, Silent(), 1) as asker:
        assert fates(deleted(asker, "t/a")) == {"t/j": "dies", "t/u": "dies"}


@pytest.mark.long
def test_a_shared_derivation_answers_as_if_written_out(houses: Houses) -> None:
    house = houses()
    window = Shared("w", "aggregate", (Input("s/1", "sum", "2"), Input("s/2", "sum", "3")),
                    ("r/1", "r/2"))  # fmt: skip
    pair = Shared("p", "all", (Input("s/1", "pair"), Input("s/3", "pair")), ("q/1", "q/2"))
    folder = house.settings.warehouse.parent
    trace = write(folder / "shared.csv", [*window.rows(), *pair.rows()])
    house.ingest_files(trace, operations=write_operations(folder / "ops.csv", OPS))
    with house.asker() as asker:
        found = deleted(asker, "s/1")
        assert fates(found) == {"q/1": "dies", "q/2": "dies", "r/1": "survives", "r/2": "survives"}
        changed = [(row["item"], row["op"], row["before"], row["after"])
                   for row in found.changed.to_pylist()]  # fmt: skip
        assert changed == [("r/1", "sum", 5.0, 3.0), ("r/2", "sum", 5.0, 3.0)]
        assert why(asker, "r/1").expression == "sum(s/1, s/2)"
        assert depends(asker, "q/2", "s/3").exists == "no"


# --- values --------------------------------------------------------------------------------------


def computed(rows: list[Row], gone: Collection[str]) -> dict[str, float | None]:
    """Compute aggregates again without the given items.

    The inputs of a level are the items in the level below.
    """
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.dst].append(row)
    values: dict[str, float | None] = {}
    for item in sorted(groups):  # in the order of levels
        kept = [row for row in groups[item] if row.src not in gone]
        kept = [row for row in kept if row.src not in groups or values[row.src] is not None]
        inputs = [
            (values[row.src] if row.src in groups else row.value, row.times) for row in kept
        ]  # fmt: skip
        values[item] = _value(groups[item][0].op, inputs)
    return values


def _value(function: str, inputs: list[tuple[Any, int]]) -> float | None:
    every = [value for value, times in inputs for _ in range(times)]
    return AGGREGATES[function](every) if every else None


def random_aggregates(random: Random) -> list[Row]:
    """Return three levels of aggregates. Each input has the value that was computed for it."""
    rows: list[Row] = []
    names = [f"0/{n}" for n in range(8)]
    for level in range(1, 4):
        made = [f"{level}/{n}" for n in range(4)]
        values = computed(rows, ())
        for item in made:
            function = random.choice(FUNCTIONS)
            for src in random.sample(names, random.randint(1, 4)):
                value = values.get(src, float(random.randint(-3, 3)))
                rows.append(Row(src, item, function, "", "", "aggregate", value,
                                random.choice([1, 1, 2])))  # fmt: skip
        names = made
    return rows


@pytest.mark.long
@pytest.mark.parametrize("graphs", [4, pytest.param(100, marks=pytest.mark.long)])
def test_aggregates_are_those_of_a_re_execution(houses: Houses, graphs: int) -> None:
    random = Random(graphs)
    house = houses(theta=6, pack=0, partition_triples=30)
    traces = [
        [row._replace(src=f"g{n}/{row.src}", dst=f"g{n}/{row.dst}") for row in one]
        for n, one in enumerate(random_aggregates(random) for _ in range(graphs))
    ]
    take_in(house, [row for rows in traces for row in rows], OPS)
    changes = 0
    with house.asker() as asker:
        for rows in traces:
            for item in sorted({row.src for row in rows if row.src.split("/")[1] == "0"}):
                before, after = computed(rows, ()), computed(rows, (item,))
                found = deleted(asker, item)
                assert not found.not_recomputed
                listed = {row["item"]: (row["before"], row["after"])
                          for row in found.changed.to_pylist()}  # fmt: skip
                dead = {at for at, fate in fates(found).items() if fate == "dies"}
                assert dead == {at for at, value in after.items() if value is None}
                expected = {
                    at: (pytest.approx(before[at]), pytest.approx(value))
                    for at, value in after.items()
                    if value is not None and value != pytest.approx(before[at])
                }
                assert listed == expected, (rows, item)
                changes += len(expected)
    assert changes > 5 * graphs


@pytest.mark.long
def test_values_that_cannot_be_computed_again_say_why(houses: Houses) -> None:
    house = houses()
    rows = [
        made("a", "s", "sum", 1.0), made("b", "s", "sum", 2.0),
        made("a", "n", "sum"), made("b", "n", "sum", 2.0),
        made("a", "o", "median", 1.0), made("b", "o", "median", 1.0),
        Row("s", "f", "format", "", "", "function"),
        made("s", "m", "sum", 6.0), made("b", "m", "sum", 1.0),
        made("f", "p", "sum", 6.0), made("b", "p", "sum", 1.0),
        Row("a", "u"), Row("b", "u"),
        made("u", "q", "sum", 6.0), made("b", "q", "sum", 1.0),
        Row("b", "d", "minus", "", "1", "except"), Row("a", "d", "minus", "", "1", "except"),
    ]  # fmt: skip
    take_in(house, rows, OPS)
    with house.asker() as asker:
        found = deleted(asker, "a")
        reasons = {row["item"]: row["reason"] for row in found.unknown.to_pylist()}
        assert {item: reason.split()[0:4] for item, reason in reasons.items()} == {
            "n": ["an", "input", "has", "no"],
            "o": ["its", "op", "has", "no"],
            "f": ["it", "is", "computed", "from"],
            "m": ["an", "input", "has", "changed,"],
            "p": ["an", "input", "has", "changed,"],
            "q": ["it", "is", "undecided", "whether"],
        }
        assert "does not have the value that changed" in reasons["m"]
        assert "its new value is not known" in reasons["p"]
        assert found.may_create.to_pylist() == [{"op": "minus", "inputs_lost": 1}]
        assert found.not_recomputed == len(reasons)
        assert fates(found)["d"] == "undecided"


@pytest.mark.long
def test_identical_rows_of_an_aggregate_count_as_often_as_a_file_has_them(houses: Houses) -> None:
    """As in SQL, a row counts as often as it occurs in a file.

    If two files, or two ingests, have the same row, it counts once.
    """
    house = houses()
    twice = [made("a", "s", "sum", 5.0), made("b", "s", "sum", 1.0), made("a", "s", "sum", 5.0)]
    times = [made("c", "t", "sum", 3.0), made("c", "t", "sum", 3.0)._replace(times=2),
             made("c", "t", "sum", 3.0), made("b", "t", "sum", 1.0)]  # fmt: skip
    counted = [made("a", "n", "count"), made("a", "n", "count"), made("b", "n", "count")]
    other = [row._replace(derivation="1") for row in (*twice, *twice)]
    labelled = [row._replace(dst="l") for row in other]
    rows = [*twice, *times, *counted, *labelled]
    window = Shared("w", "aggregate", (Input("a", "sum", "2"), Input("b", "sum", "3"),
                                       Input("a", "sum", "2")), ("r/1", "r/2"))  # fmt: skip
    take_in(house, rows, OPS)
    folder = house.settings.warehouse.parent
    house.ingest_files(write(folder / "shared.csv", [*window.rows(), *replace(window, label="v",
                       uses=("r/3",)).rows()]))  # fmt: skip
    take_in(house, rows)
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text("src,dst,op,op_kind,value\na,f,sum,aggregate,4\n"
                                   "b,f,sum,aggregate,1\n")  # fmt: skip
    house.ingest_files(folder / "one.csv", folder / "two.csv")
    with house.asker() as asker:
        found = {(row["item"], row["before"], row["after"])
                 for row in deleted(asker, "b").changed.to_pylist()}  # fmt: skip
        assert found == {
            ("s", 11, 10), ("t", 13, 12), ("n", 3, 2), ("l", 22, 20), ("f", 5, 4),
            ("r/1", 7, 4), ("r/2", 7, 4), ("r/3", 7, 4),
        }  # fmt: skip
        each = what_if_each(asker, "s", 9)
        assert {row["item"]: row["after"] for row in each.inputs.to_pylist()} == {"a": 1, "b": 10}


@pytest.mark.long
def test_a_sum_that_double_precision_does_not_have_says_so(houses: Houses) -> None:
    house, whole = houses(), 2.0**53
    rows = [
        made("a", "large", "sum", 1e308), made("b", "large", "sum", 1e308),
        made("c", "large", "sum", -1e308),
        made("a", "long", "sum", whole), made("b", "long", "sum", 1.0),
        made("c", "long", "sum", 2.0),
    ]  # fmt: skip
    take_in(house, rows, OPS)
    reason = "double precision does not have its exact value"
    with house.asker() as asker:
        found = deleted(asker, "c")
        assert found.changed.num_rows == 0
        assert [(row["item"], row["reason"]) for row in found.unknown.to_pylist()] == [
            ("large", reason), ("long", reason),
        ]  # fmt: skip
        for item in ("large", "long"):
            each = what_if_each(asker, item, 9)
            assert (each.values["reason"].to_pylist(), each.inputs.num_rows) == ([reason], 0)


# --- dependency and derivations -------------------------------------------------------------------


def test_depends_and_why(houses: Houses) -> None:
    house = houses()
    rows = [
        Row("a", "j", "join", "", "1", "all"), Row("b", "j", "join", "", "1", "all"),
        Row("j", "u", "union", "", "", "any"), Row("c", "u", "union", "", "", "any"),
        made("u", "s", "sum", 1.0), made("d", "s", "sum", 1.0),
        Row("a", "x"), Row("b", "x"),
        *(Row(f"m{n}", "many", "union", "", "", "any") for n in range(5)),
    ]  # fmt: skip
    take_in(house, rows, OPS)
    with house.asker() as asker:
        found = depends(asker, "u", "a")
        assert (found.exists, found.derived) == ("yes", True)
        assert found.smallest in (("a", "c"), ("b", "c"))
        assert depends(asker, "j", "b").exists == "no"
        assert depends(asker, "x", "b").exists == "undecided"
        assert depends(asker, "u", "d").derived is False
        assert depends(asker, "u", "u").exists == "no"
        assert depends(asker, "s", "u").smallest is not None
        assert depends(asker, "many", "m0").smallest is None
        assert depends(asker, "a", "b").smallest is None
        assert why(asker, "s").expression == "sum(d, c | (a & b))"
        cut = why(asker, "many", 2)
        assert cut.cut
        assert cut.expression.endswith(" | …")
        assert why(asker, "x").expression == "?(a, b)"
        assert why(asker, "a").derivations.num_rows == 0
