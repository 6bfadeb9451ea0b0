"""Traces with shared derivations: the rows that an ingest stores, rejects and refuses."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from helpers.oracle import Triple
from helpers.shared import Input, Shared, plain, write
from helpers.warehouse import House, content
from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.from_arrow import from_arrow
from provhouse.ingest.ingest import ingest
from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent

Houses = Callable[..., House]
SUM = Shared("1", "aggregate", (Input("a", "sum", "1"), Input("b", "sum", "2")), ("x", "y"))


@pytest.mark.long
def test_the_same_derivation_again_is_the_same_group(houses: Houses, tmp_path: Path) -> None:
    """Other labels and another order of rows give the same group. A further dst adds one triple."""
    house = houses()
    house.ingest_files(write(tmp_path / "1.csv", SUM.rows()))
    assert house.commit.totals.triples == 4
    again = replace(SUM, label="other", inputs=SUM.inputs[::-1])
    summary = house.ingest_files(write(tmp_path / "2.csv", again.rows()))
    assert (summary.new_triples, summary.committed) == (0, True)
    more = house.ingest_files(write(tmp_path / "3.csv", replace(SUM, uses=("z",)).rows()))
    assert (more.new_triples, more.new_items, house.commit.totals.triples) == (2, 1, 5)
    other = replace(SUM, kind="any", uses=("z",))
    summary = house.ingest_files(write(tmp_path / "4.csv", other.rows()))
    assert (summary.new_triples, house.commit.totals.triples) == (2, 8)


@pytest.mark.long
def test_rows_of_a_label_may_be_in_several_files(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    into, out_of = SUM.rows()[:2], SUM.rows()[2:]
    files = [write(tmp_path / "in.csv", into), write(tmp_path / "out.csv", out_of)]
    assert house.ingest_files(*files).triples == 4
    with house.asker() as asker:
        found = content(asker.ask("x", "upstream")).triples
    assert found == {("a", "x", "sum"), ("b", "x", "sum")}


BAD = {
    "a row with shared has both src and dst": [("a", "x", "", "", "", "all", "", "1")],
    "no src and no dst": [("", "", "", "", "", "all", "", "1")],
    "no row with a dst has this shared": [("a", "", "", "", "", "all", "", "1")],
    "no row with a src has this shared": [("", "x", "", "", "", "", "", "1")],
    "rows with this shared have different op_kind": [
        ("a", "", "", "", "", "all", "", "1"),
        ("b", "", "", "", "", "any", "", "1"),
        ("", "x", "", "", "", "", "", "1"),
    ],
    "value is not a finite number": [("a", "", "", "", "", "all", "much", "1")],
}


@pytest.mark.parametrize(
    "reason", [pytest.param(one, marks=[pytest.mark.long] * (at > 0)) for at, one in enumerate(BAD)]
)
def test_a_label_that_is_no_derivation_is_rejected(
    houses: Houses, tmp_path: Path, reason: str
) -> None:
    house = houses()
    rows = [plain(Triple("p", "q")), *BAD[reason]]
    summary = house.ingest_files(write(tmp_path / "t.csv", rows))
    assert (summary.triples, summary.items) == (1, 2)
    assert summary.rejected == len(BAD[reason])
    first = summary.first_rejects[0]
    assert (first.row, first.reason) == (2, reason)


def test_names_of_groups_are_refused(houses: Houses) -> None:
    house = houses()
    house.write([Triple("a", "\0group/1")])
    with pytest.raises(BadInput, match="begins with a zero byte"):
        ingest([house.write([Triple("a", "\0group/1")])], house.settings, progress=Silent())


def test_labels_count_only_within_a_scope(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    lines = [{"src": "a", "shared": 1, "op_kind": "all", "run": run} for run in ("one", "two")] + [
        {"dst": "x", "shared": 1, "run": run} for run in ("one", "two")
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps({"src": None, "dst": None} | line) + "\n" for line in lines))
    summary = house.ingest_files(file, columns=columns_of([], "run"))
    assert (summary.triples, summary.rejected) == (2, 0)
    with house.asker() as asker:
        found = content(asker.ask("one/x", "upstream")).triples
    assert found == {("one/a", "one/x", "")}


def test_the_column_is_an_attribute_in_a_file_without_derivations(
    houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    (tmp_path / "t.csv").write_text("src,dst,shared\na,b,yes\n")
    house.ingest_files(tmp_path / "t.csv")
    with house.asker() as asker:
        (triple,) = asker.ask("b", "upstream").triples.to_pylist()
    assert triple["attributes"] == '{"shared":"yes"}'
    assert "groups" not in house.commit.tables


@pytest.mark.long
def test_row_ids_may_share_a_derivation(houses: Houses) -> None:
    """A row ID is the same item as its name. A row ID without a table is rejected."""
    house = houses()
    rows: dict[str, list[object]] = {
        "src_id": [1, 2, None, None, 7],
        "dst_id": [None, None, 1, 2, None],
        "src_table": ["in", "in", None, None, None],
        "dst_table": [None, None, "out", "out", None],
        "shared": ["w", "w", "w", "w", "w"],
        "op_kind": ["all", "all", None, None, "all"],
    }
    summary = from_arrow(pa.table(rows), house.settings, progress=Silent())
    assert (summary.triples, summary.items, summary.rejected) == (4, 4, 1)
    assert summary.first_rejects[0].reason == "no src_table"
    row_ids = {name: [rows[name][at] for at in (0, 1)] for name in ("src_id", "src_table")}
    more = row_ids | {"dst_id": [9, 9], "dst_table": ["sum", "sum"]}
    from_arrow(pa.table(more), house.settings, progress=Silent())
    house.check_deep()
    with house.asker() as asker:
        up = content(asker.ask("out/2", "upstream")).triples
        down = content(asker.ask("in/1", "downstream")).triples
    assert up == {("in/1", "out/2", ""), ("in/2", "out/2", "")}
    assert down == {("in/1", "out/1", ""), ("in/1", "out/2", ""), ("in/1", "sum/9", "")}
