"""Derivations are identified by content, and survive every operation on a warehouse's triples."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from helpers.derivations import Derivation, Row, derivations, random_rows, stored, without_item
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.ingest_summary import Summary
from provhouse.model.progress import Silent
from provhouse.model.question import Method
from provhouse.query.exporting.export import export_warehouse

Houses = Callable[..., House]
METHODS: tuple[Method, ...] = ("csprov", "rq", "ccprov")


def take_in(house: House, rows: Iterable[Row], name: str = "trace.csv") -> Summary:
    """Ingest rows from a CSV file, and check the invariants."""
    path = house.settings.warehouse.parent / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    return house.ingest_files(path)


def in_house(house: House) -> Counter[Derivation]:
    """Check a warehouse deeply, and return the derivations that it stores."""
    house.check_deep()
    return stored(house.settings.warehouse)


def relabelled(rows: Iterable[Row], seed: int) -> list[Row]:
    """Return the rows in another order and with other labels, as another run would write them."""
    given = [
        row._replace(derivation=f"run2-{row.derivation}" if row.derivation else "") for row in rows
    ]
    Random(seed).shuffle(given)
    return given


@pytest.mark.parametrize(
    ("seed", "whole"),
    [(0, False), *(pytest.param(seed, True, marks=pytest.mark.long) for seed in (0, 1))],
)
def test_random_traces_are_stored_as_sets_of_derivations(
    houses: Houses, tmp_path: Path, seed: int, whole: bool
) -> None:
    """After each kind of change, the stored derivations equal those computed with Python sets.

    The usual test ingests and retracts, because the other changes copy the same columns.
    """
    house = houses(theta=4, pack=0, partition_triples=7)
    first, second = random_rows(seed), random_rows(seed + 100)
    folder = house.settings.warehouse
    take_in(house, first)
    assert stored(folder) == derivations(first)
    again = take_in(house, relabelled(first, seed))
    assert again.new_triples == 0
    take_in(house, [*second, *relabelled(first, seed)], "more.csv")
    # A label groups the rows of one ingest, so the labels in the second file are made different.
    both = Counter(
        derivations(first).keys() | derivations([*second, *relabelled(first, seed)]).keys()
    )
    assert stored(folder) == both
    if not whole:
        retract(Retracting(items=["i3"]), house.settings, Silent())
        assert in_house(house) == without_item(both, "i3")
        return

    export_warehouse(house.layout, tmp_path / "out", Silent())
    other = houses(theta=4, pack=0, partition_triples=50)
    import_(tmp_path / "out", other.settings, Silent())
    assert in_house(other) == both
    assert not import_(tmp_path / "out", other.settings, Silent()).new_triples

    retract(Retracting(items=["i3"]), house.settings, Silent())
    left = without_item(both, "i3")
    assert in_house(house) == left
    compact(house.settings, Silent())
    house.bare = True  # the retraction left an item without a triple
    assert in_house(house) == left
    rollback(house.settings, Silent())
    take_in(house, [Row("i1", "i2", derivation="9"), Row("i0", "i2", derivation="9")])
    assert in_house(house) == both + derivations(
        [Row("i1", "i2", derivation="9"), Row("i0", "i2", derivation="9")]
    )


SELF_JOIN = [
    Row("a", "total", "sum", "", "", "aggregate", 2.0, 1),
    Row("a", "total", "sum", "", "", "aggregate", 2.0, 2),
    Row("a", "total", "sum", "", "", "aggregate", 3.0, 1),
]


@pytest.mark.long
def test_rows_that_differ_in_value_or_times_are_different_triples(houses: Houses) -> None:
    """The generation counts each of these triples.

    An answer shows only one of several triples with the same src, dst and op.
    """
    house = houses()
    assert take_in(house, [*SELF_JOIN, Row("total", "report")]).triples == 4
    with house.asker() as asker:
        for method in METHODS:
            answer = asker.ask("report", "upstream", method)
            ends = [(row["src"], row["dst"]) for row in answer.triples.to_pylist()]
            assert ends == [("total", "report"), ("a", "total")]


@pytest.mark.long
def test_the_same_derivation_in_another_run_is_an_assertion(houses: Houses) -> None:
    house = houses()
    rows = [Row("a", "c", "join", "", "1", "all"), Row("b", "c", "join", "", "1", "all")]
    take_in(house, rows)
    summary = take_in(house, relabelled(rows, 1), "again.csv")
    assert (summary.new_triples, summary.committed) == (0, True)
    retract(
        Retracting(file=house.settings.warehouse.parent / "trace.csv"), house.settings, Silent()
    )
    assert in_house(house) == derivations(rows)
    other = take_in(house, [*rows, Row("d", "c", "join", "", "1", "all")])
    assert other.new_triples == 3
    assert len(in_house(house)) == 2


@pytest.mark.long
def test_a_derivation_that_lost_a_needed_input_is_gone(houses: Houses) -> None:
    """Derivations that do not need the retracted input remain, without this input."""
    house = houses(partition_triples=2)
    rows = [
        Row(src, "z", op, "", "", kind)
        for op, kind in (("join", "all"), ("sum", "aggregate"), ("union", "any"), ("old", ""))
        for src in "abc"
    ]
    take_in(house, rows)
    ended = retract(Retracting(items=["a"]), house.settings, Silent())
    assert ended.ended == 6
    assert in_house(house) == without_item(derivations(rows), "a")
    assert take_in(house, rows).new_triples == 3 + 3 + 1 + 1


@pytest.mark.long
def test_an_erasure_clears_values_and_keeps_what_acts_together(
    houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    rows = [
        Row("a", "c", "sum", "x", "", "aggregate", 5.0, 2, "state", "call"),
        Row("b", "c", "sum", "x", "", "aggregate", 7.0, 2, "state", "call"),
        Row("a", "d", "join", "", "", "all"),
        Row("b", "d", "join", "", "", "all"),
    ]
    take_in(house, rows)
    forget(["a"], house.settings, Silent())
    house.check_deep()
    files = sorted((house.layout.base(1) / "triples").glob("*.parquet"))
    found = [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]
    mine = {(row["op"], row["value"], row["times"], row["invocation"]) for row in found}
    assert mine == {("", None, None, None), ("sum", 7.0, 2, "call"), ("join", None, None, None)}
    assert {(row["way"], row["kind"]) for row in found} == {(0, 2), (0, 0)}
    compact(house.settings, Silent())
    house.check_deep()
    export_warehouse(house.layout, tmp_path / "out", Silent())
    (out,) = (tmp_path / "out").glob("*.parquet")
    kinds = {(row["dst"], row["op_kind"]) for row in pq.read_table(out).to_pylist()}
    assert kinds == {("c", "unknown"), ("d", "unknown")}  # not all inputs are exported


def test_columns_have_their_meaning_only_beside_derivation_or_op_kind(
    houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    (tmp_path / "plain.csv").write_text("src,dst,value,times\na,b,5,2\n")
    house.ingest_files(tmp_path / "plain.csv")
    with house.asker() as asker:
        (triple,) = asker.ask("b", "upstream").triples.to_pylist()
    assert triple["attributes"] == '{"times":"2","value":"5"}'
    assert set(pq.read_schema(next(house.layout.root.rglob("0*1.parquet"))).names).isdisjoint(
        {"value", "way"}
    )


@pytest.mark.long
def test_a_module_is_kept_without_a_kind(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    (tmp_path / "t.csv").write_text("src,dst,step\na,b,clean\n")
    house.ingest_files(tmp_path / "t.csv", columns=columns_of(["module=step"], None))
    compact(house.settings, Silent())
    export_warehouse(house.layout, tmp_path / "out", Silent())
    (row,) = pq.read_table(next((tmp_path / "out").glob("*.parquet"))).to_pylist()
    assert (row["module"], row["attributes"], row["op_kind"]) == ("clean", "", "unknown")


BAD = {
    "op_kind": ("some", "op_kind is not all, any"),
    "value": ("1e999", "value is not a finite number"),
    "times": ("1.5", "times is not a whole number above 0"),
    "role": ("boss", "role is not state, output or input"),
}


@pytest.mark.parametrize(
    "column", [pytest.param(one, marks=[pytest.mark.long] * (at > 0)) for at, one in enumerate(BAD)]
)
def test_a_row_with_an_unusable_value_is_rejected(
    houses: Houses, tmp_path: Path, column: str
) -> None:
    text, reason = BAD[column]
    others = "" if column == "op_kind" else "op_kind,"
    (tmp_path / "t.csv").write_text(
        f"src,dst,{others}{column}\na,b,{others and 'all,'}\na,c,{others and 'all,'}{text}\n"
    )
    summary = houses().ingest_files(tmp_path / "t.csv")
    assert (summary.triples, summary.rejected) == (1, 1)
    assert summary.first_rejects[0].reason.startswith(reason)


EXACT = ["9007199254740992", "-9007199254740994", "9007199254740994.0", "1" + "0" * 22, "1e17",
         "123456789012345680.0", "123456789012345677.0", "0.1", "0.10000000000000000555",
         "9007199254740991.49"]  # fmt: skip
ROUNDED = ["9007199254740993", "-9007199254740993", "9007199254740993.0", "123456789012345677",
           "123456789012345680", "90071992547409930.07"]  # fmt: skip


@pytest.mark.long
def test_a_value_that_double_precision_rounds_is_rejected(houses: Houses, tmp_path: Path) -> None:
    """The values are strings, and then Parquet integers and decimals."""
    rows = [f"a,{number},aggregate,{text}\n" for number, text in enumerate([*EXACT, *ROUNDED])]
    (tmp_path / "t.csv").write_text("src,dst,op_kind,value\n" + "".join(rows))
    house = houses()
    summary = house.ingest_files(tmp_path / "t.csv")
    assert (summary.triples, summary.rejected) == (len(EXACT), len(ROUNDED))
    assert {each.reason for each in summary.first_rejects} == {
        "value has more digits than double precision keeps"
    }
    values = [
        pa.array([2**53, 2**53 + 1, None]), pa.array([2.0**70, 0.1, float("nan")]),
        pa.array([Decimal("0.10"), Decimal("90071992547409930.07"), None]),
    ]  # fmt: skip
    files = [tmp_path / f"t{number}.parquet" for number in range(3)]
    for file, column in zip(files, values, strict=True):
        ends = {"src": ["x", "y", "z"], "dst": [file.name] * 3, "op_kind": ["aggregate"] * 3}
        pq.write_table(pa.table({**ends, "value": column}), file)
    rejects = house.ingest_files(*files).first_rejects
    assert [each.file for each in rejects] == [str(files[0]), str(files[2])]


@pytest.mark.long
def test_a_dst_with_a_million_alternatives(houses: Houses, tmp_path: Path) -> None:
    """Each alternative is a pair of items out of 2,000.

    A second ingest of the alternatives adds nothing.
    """
    number = np.arange(1_000_000)
    sides = zip("ab", np.divmod(number, 1000), strict=True)
    ends = [pc.binary_join_element_wise(side, pa.array(n.astype(str)), "") for side, n in sides]
    many = {"derivation": pa.array(number.astype(str))} | {
        name: pa.repeat(text, len(number)) for name, text in (("dst", "z"), ("op_kind", "all"))
    }
    rows = pa.concat_tables(pa.table({"src": src, **many}) for src in ends)
    pq.write_table(rows, tmp_path / "t.parquet")
    house = houses()
    summary = ingest([tmp_path / "t.parquet"], house.settings, progress=Silent())
    assert (summary.triples, summary.items) == (2_000_000, 2_001)
    files = sorted((house.layout.base(1) / "triples").glob("*.parquet"))
    ways = np.concatenate([np.asarray(pq.read_table(f, partitioning=None)["way"]) for f in files])
    assert (np.bincount(ways) == 2).all()
    again = ingest([tmp_path / "t.parquet"], house.settings, progress=Silent())
    assert (again.new_triples, again.committed) == (0, False)
    with house.asker() as asker:
        assert asker.ask("z", "upstream").triples.num_rows == 2_000
