"""An ingest stores descriptions of ops, and they survive every change of the warehouse."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from helpers.derivations import Row
from helpers.operations import (
    Born,
    Operation,
    described,
    newest,
    random_operations,
    write_operations,
)
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.prune import prune
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.commit.erasing import erase
from provhouse.commit.erasing import erased_descriptions as descriptions
from provhouse.ingest.formats.spool import ArrowStream
from provhouse.ingest.from_arrow import from_arrow
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.ingest_summary import Summary
from provhouse.ingest.op_descriptions import given_operations
from provhouse.ingest.preview import preview
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.query.listing.generations import list_generations

Houses = Callable[..., House]


def triples(number: int) -> list[Triple]:
    return [Triple(f"a{number}", f"b{number}", op, "", "") for op in "abc"]


def describe(house: House, rows: Iterable[Operation], *files: Path) -> Summary:
    """Ingest files with descriptions, or descriptions alone, and check the invariants."""
    path = write_operations(house.settings.warehouse.parent / "ops.csv", rows)
    return house.ingest_files(*files, operations=path)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_each_generation_shows_the_newest_descriptions_of_its_ingests(
    houses: Houses, tmp_path: Path, seed: int
) -> None:
    """Each generation is compared with a dict to which the same descriptions were added."""
    house = houses(partition_triples=2)
    folder = house.settings.warehouse
    expected: dict[int, dict[str, Born]] = {}
    base: dict[str, Born] = {}
    for number in range(1, 5):
        given = random_operations(10 * seed + number)
        files = [house.write(triples(number))] if number != 3 else []
        describe(house, given, *files)
        base = newest(base, given, number)
        expected[number] = base
    rollback(house.settings, Silent())
    expected[5] = expected[3]
    given = random_operations(10 * seed + 9)
    describe(house, given)
    expected[6] = newest(expected[5], given, 6)
    compact(house.settings, Silent())
    expected[7] = expected[6]
    retract(Retracting(items=["a1"]), house.settings, Silent())
    expected[8] = expected[7]
    assert {number: described(folder, number) for number in expected} == expected
    assert describe(house, given).committed is False

    export_warehouse(house.layout, tmp_path / "out", Silent())
    other = houses()
    import_(tmp_path / "out", other.settings, Silent())
    moved = {op: each.operation for op, each in expected[8].items()}
    assert {op: each.operation for op, each in described(other.settings.warehouse).items()} == moved
    other.check_deep()
    prune(house.settings, Silent(), keep=1)
    house.bare = True
    house.check_deep()
    assert described(folder) == expected[8]


@pytest.mark.long
def test_a_warehouse_without_descriptions_has_no_table_of_them(
    houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    house.ingest(triples(1))
    compact(house.settings, Silent())
    export_warehouse(house.layout, tmp_path / "out", Silent())
    assert "operations" not in house.commit.tables
    assert not [*house.layout.root.glob("base-*/operations"), *tmp_path.glob("out/operations*")]
    assert "operations" not in (tmp_path / "out" / "manifest.json").read_text()
    assert described(house.settings.warehouse) == {}


@pytest.mark.long
def test_descriptions_alone_are_an_ingest(houses: Houses) -> None:
    """A warehouse's first ingest may add only descriptions, whose triples come later."""
    house = houses()
    summary = describe(house, [Operation("a", "all"), Operation("b")])
    assert (summary.committed, summary.operations, summary.triples) == (True, 1, 0)
    house.ingest(triples(1))
    house.check_deep()
    assert described(house.settings.warehouse)["a"].operation == Operation("a", "all")
    changes = [each.change for each in list_generations(house.layout)]
    assert changes == ["ingest", "ingest"]
    replaced = ingest([house.write(triples(2))], house.settings, replace=True, progress=Silent())
    assert replaced.operations == 0
    assert described(house.settings.warehouse) == {}


@pytest.mark.long
def test_a_preview_counts_the_descriptions_that_an_ingest_stores(houses: Houses) -> None:
    house = houses()
    given = [Operation("a", "all"), Operation("b", place="x.py:3"), Operation("c")]
    file, more = house.write(triples(1)), house.settings.warehouse.parent / "more.csv"
    write_operations(more, given)
    for files in ([file], []):  # the second time, one description is new and one has changed
        seen = preview(files, house.settings, operations=more, progress=Silent())
        summary = house.ingest_files(*files, operations=more)
        assert seen.operations == summary.operations == 2
        assert (seen.files, seen.rows) == (len(files), 3 * len(files))
        write_operations(more, [given[0], Operation("b", "any"), Operation("d", "all")])
    assert preview([], house.settings, operations=more, progress=Silent()).operations == 0
    assert preview([file], house.settings, progress=Silent()).operations == 0
    with pytest.raises(UsageError, match="without triples"):
        preview([], house.settings, operations=more, replace=True, progress=Silent())


def test_arrow_tables_describe_ops_too(houses: Houses) -> None:
    house = houses()
    frame: ArrowStream = pa.table({"op": ["a", "b"], "kind": pa.nulls(2), "place": ["x.py:3", ""]})
    rows = pa.table({"src": ["x"], "dst": ["y"], "op": ["a"]})
    summary = from_arrow(rows, house.settings, operations=frame, progress=Silent())
    assert (summary.new_triples, summary.operations) == (1, 1)
    found = described(house.settings.warehouse)
    assert [each.operation for each in found.values()] == [Operation("a", place="x.py:3")]


def test_a_folder_of_parquet_files_describes_ops(tmp_path: Path) -> None:
    for name, op in (("1", "a"), ("2", "b"), ("3", "a")):
        pq.write_table(pa.table({"op": [op], "born": [7]}), tmp_path / f"{name}.parquet")
    assert given_operations(tmp_path).rows["op"].to_pylist() == ["a", "b"]


BAD = {
    "kind.csv": ("op,kind\na,all\nb,al\n", "row 2: kind is not all, any, aggregate"),
    "function.csv": ("op,function\na,total\n", "row 1: function is not sum, count"),
    "exactness.jsonl": ('{"op":"a","exactness":"some"}\n', "row 1: exactness is not exact"),
    "missing.csv": ('op,kind\n"",all\n', "row 1: op is missing"),
    "null.jsonl": ('{"op":"a"}\n{"kind":"all"}\n', "row 2: op is missing"),
    "unknown.csv": ("op,kinds\na,all\n", "the column kinds is unknown or repeated"),
    "late.jsonl": ('{"op":"a"}\n' * 2 + '{"op":"b","kinds":1}\n', "the column kinds"),
    "twice.csv": ("op,kind\na,all\na,any\n", "The op 'a' has two different descriptions"),
    "ragged.csv": ("op,kind\na,b,c\n", "row 1: 3 values, the header has 2"),
    "none.csv": ("kind\nall\n", "line 1: no column op"),
    "empty.csv": ("", "line 1: no column op"),
    "broken.jsonl": ('{"op":"a"}\n{"op"\n', "line 2: not readable as JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_description_is_refused_with_its_file_and_row(name: str, tmp_path: Path) -> None:
    text, why = BAD[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput) as caught:
        given_operations(tmp_path / name)
    assert why in caught.value.wanted
    assert name in caught.value.wanted + caught.value.found


def test_a_column_that_only_a_later_row_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provhouse.ingest.formats.json_lines.CHUNK", 16)
    (tmp_path / "ops.jsonl").write_text('{"op":"a"}\n{"op":"b"}\n{"op":"c","kinds":1}\n')
    with pytest.raises(BadInput, match=r"row 3: the row has a column") as caught:
        given_operations(tmp_path / "ops.jsonl")
    assert "kinds" in caught.value.found


def test_a_bad_description_changes_nothing(houses: Houses) -> None:
    house = houses()
    with pytest.raises(BadInput):
        describe(house, [Operation("a", "some")], house.write(triples(1)))
    assert not house.layout.root.exists()


JOINED = [
    Row(src, "z", op, "", label) for op, label in (("join", "1"), ("mix", "2")) for src in "ab"
]


@pytest.mark.long
def test_a_triple_without_a_kind_has_that_of_its_op(houses: Houses, tmp_path: Path) -> None:
    """A derivation ends with its first lost input if its op's newest description says ``all``.

    If a triple has a kind, this kind takes precedence over the kind of the op.
    """
    house = houses()
    rows = [*JOINED, *(Row(src, "z", "own", "", "3", "aggregate") for src in "ab")]
    kinds: tuple[dict[str, str], ...] = (
        {},
        {"join": "all"},
        {"join": "any", "mix": "all", "own": "all"},
    )
    left = ({"join", "mix", "own"}, {"mix", "own"}, {"join", "own"})
    write_rows(  # each case has its own items and ops
        tmp_path / "trace.csv",
        [
            row._replace(src=f"{row.src}{case}", dst=f"z{case}", op=f"{row.op}{case}")
            for row in rows
            for case in range(3)
        ],
    )
    house.ingest_files(tmp_path / "trace.csv")
    describe(
        house,
        [Operation(f"{op}{n}", kind) for n, of in enumerate(kinds) for op, kind in of.items()],
    )
    retract(Retracting(items=["a0", "a1", "a2"]), house.settings, Silent())
    with house.asker() as asker:
        for case, ops in enumerate(left):
            found = asker.ask(f"z{case}", "upstream").triples.to_pylist()
            expected = {(f"b{case}", f"{op}{case}") for op in ops}
            assert {(row["src"], row["op"]) for row in found} == expected


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    lines = (",".join("" if value is None else str(value) for value in row) for row in rows)
    path.write_text("\n".join([",".join(Row._fields), *lines]) + "\n")


@pytest.mark.long
def test_a_derivation_that_lost_an_erased_input_is_not_exported_as_complete(
    houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    write_rows(tmp_path / "trace.csv", JOINED)
    house.ingest_files(tmp_path / "trace.csv")
    describe(house, [Operation("join", "all")])
    forget(["a"], house.settings, Silent())
    export_warehouse(house.layout, tmp_path / "out", Silent())
    rows = pq.read_table(next((tmp_path / "out").glob("triples-*"))).to_pylist()
    assert {(row["op"], row["op_kind"]) for row in rows} == {
        ("join", "function"),
        ("mix", "unknown"),
    }


class Crash(Exception):
    """The end of the process in the middle of an erasure."""


@pytest.mark.long
@pytest.mark.parametrize("crashed", [pytest.param(False, marks=pytest.mark.long), True])
def test_an_erasure_removes_descriptions_that_only_erased_items_need(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, crashed: bool
) -> None:
    """The op ``x`` has a triple in the old base only, and a description in both bases.

    After a crash between the two bases, the next writer completes the erasure.
    """

    def crash(name: str) -> None:
        raise Crash

    monkeypatch.setattr(erase, "_rebuild_graph", lambda *_: None)  # all tests share this Neo4j
    house = houses()
    house.ingest([Triple("p", "q", "x", "", ""), Triple("p", "q", "y", "", ""), *triples(1)])
    describe(house, [Operation(op, sql=f"secret of {op}") for op in "axyz"])
    retract(Retracting(items=["p"]), house.settings, Silent())
    house.ingest([Triple("p", "q", "y", "", "")])
    compact(house.settings, Silent())
    house.bare = True
    assert {*described(house.settings.warehouse)} == set("axyz")
    if crashed:
        with monkeypatch.context() as patched:
            patched.setattr(descriptions, "reach", crash)
            with pytest.raises(Crash):
                forget(["p"], house.settings, Silent())
        rollback(house.settings, Silent())
    else:
        forget(["p"], house.settings, Silent())
    house.check_deep()
    for base in (1, 2):
        table = DeltaTable(house.layout.table(base, "operations")).to_pyarrow_table()
        assert {row["op"] for row in table.to_pylist()} == {"a", "z", None}
        assert {row["sql"] for row in table.to_pylist()} == {"secret of a", "secret of z", None}
    assert {*described(house.settings.warehouse)} == set("az")
    assert {*described(house.settings.warehouse, 3)} == set("az")
