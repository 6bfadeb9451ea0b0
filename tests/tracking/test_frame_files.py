"""From files to tracked frames, and from tracked frames to files of triples."""

from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from helpers.frame_data import frame
from provhouse import pandas as tracked
from provhouse import polars as tracked_polars
from provhouse.model.errors import Unavailable, UsageError
from provhouse.tracking.step_graph import pairs


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text("id,country,amount\n17,DE,5\n18,FR,7\n19,DE,\n")
    return path


def _rows(path: Path) -> list[dict[str, Any]]:
    read = pa_csv.read_csv if path.suffix == ".csv" else pq.read_table
    found: list[dict[str, Any]] = read(path).to_pylist()
    return found


def test_a_row_of_a_file_is_named_by_its_key_or_its_position(orders: Path) -> None:
    assert tracked.read_csv(orders).backward([2])["orders"].names == ["2"]
    by_key = tracked.read_csv(orders, key="id", table="sales")
    assert by_key.backward([2])["sales"].names == ["19"]
    assert tracked_polars.read_csv(orders, key="id").backward([0])["orders"].names == ["17"]
    pd.read_csv(orders).to_parquet(orders.with_suffix(".parquet"))
    parquet = tracked.read_parquet(orders.with_suffix(".parquet"))
    assert parquet.backward([1])["orders"].names == ["1"]
    again = tracked_polars.read_parquet(orders.with_suffix(".parquet"))
    assert again.backward([1])["orders"].rows["id"].to_list() == [18]


def test_options_that_move_rows_need_a_key(orders: Path) -> None:
    with pytest.raises(tracked.NotTracked, match="positions in the file"):
        tracked.read_csv(orders, skiprows=[1])
    assert tracked.read_csv(orders, skiprows=[1], key="id").backward([0])["orders"].names == ["18"]
    with pytest.raises(tracked.NotTracked, match="chunksize"):
        tracked.read_csv(orders, chunksize=2, key="id")
    with pytest.raises(tracked.NotTracked, match="positions in the file"):
        tracked_polars.read_csv(orders, skip_rows_after_header=1)
    with pytest.raises(UsageError, match="The file has no name"):
        tracked.read_csv(StringIO("a\n1\n"))
    with pytest.raises(UsageError, match="does not identify"):
        tracked.read_csv(orders, key="country")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_triples_are_written_for_an_ingest(orders: Path, ending: str, library: str) -> None:
    path = orders.with_name(f"trace{ending}")
    if library == "pandas":
        read: Any = tracked.read_csv(orders, key="id")
        totals = read.groupby("country", as_index=False)["amount"].sum().sort_values("country")
    else:
        read = tracked_polars.read_csv(orders, key="id")
        totals = read.group_by("country").agg(pl.col("amount").sum()).sort("country")
    assert totals.write_triples(path, table="totals", key="country") == 3
    found = _rows(path)
    assert sorted((row["src"], row["dst"]) for row in found) == [
        ("orders/17", "totals/DE"),
        ("orders/18", "totals/FR"),
        ("orders/19", "totals/DE"),
    ]
    (op,) = {row["op"] for row in found}
    assert op.startswith(("groupby.sum test_frame_files.py:", "group_by.agg test_frame_files.py:"))
    assert {row["op_kind"] for row in found} == {"aggregate"}
    assert {(row["src_table"], row["dst_table"]) for row in found} == {("orders", "totals")}


def test_marked_rows_are_items_on_the_way(orders: Path) -> None:
    path = orders.with_name("trace.csv")
    clean = tracked.read_csv(orders, key="id").dropna().mark("clean", key="id")
    report = clean.assign(all="x").groupby("all", as_index=False)["amount"].sum()
    assert report.backward([0]).keys() == {"clean", "orders"}
    assert report.forward("clean", [1]).tolist() == [0]
    report.write_triples(path, table="report", key="all")
    assert sorted((row["src"], row["dst"]) for row in _rows(path)) == [
        ("clean/17", "report/x"),
        ("clean/18", "report/x"),
        ("orders/17", "clean/17"),
        ("orders/18", "clean/18"),
    ]
    assert clean.write_triples(path, table="clean") == 2


def test_kinds_say_how_rows_act_together(orders: Path) -> None:
    a = tracked.read_csv(orders, key="id")
    b = tracked.track(pd.DataFrame({"country": ["DE"], "name": ["Germany"]}), table="b")
    kinds = {
        "filter": (a[a["amount"] > 5], "all"),
        "inner merge": (a.merge(b, on="country"), "all"),
        "left merge": (a.merge(b, on="country", how="left"), "unknown"),
        "group": (a.groupby("country").sum(), "aggregate"),
        "group of a merge": (
            a.merge(b, on="country").groupby("name")[["amount"]].sum(),
            "aggregate",
        ),
        "group of a left merge": (
            a.merge(b, on="country", how="left").groupby("id")[["amount"]].sum(),
            "unknown",
        ),
        "merge of a group": (a.groupby("country", as_index=False).sum().merge(b), "unknown"),
        "filter of a group": (a.groupby("country").sum().head(1), "aggregate"),
        "window": (a.assign(x=a["amount"].shift()), "unknown"),
    }
    assert {name: made._node.whole_kind for name, (made, _) in kinds.items()} == {
        name: kind for name, (_, kind) in kinds.items()
    }


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing(orders: Path) -> None:
    read = tracked.read_csv(orders)
    with pytest.raises(Unavailable, match="Cannot write triples"):
        read.write_triples(orders.parent / "missing" / "t.csv", table="t")
    target = orders.with_name("t.parquet")
    target.mkdir()
    with pytest.raises(Unavailable, match="Cannot write triples"):
        read.write_triples(target, table="t")
    assert sorted(each.name for each in orders.parent.iterdir()) == ["orders.csv", "t.parquet"]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pd.Series([3, -1]), ["3", "-1"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        (pd.Series(["é", "b/c"]), ["é", "b/c"]),
        (pd.Series(["x", "y"], dtype="category"), ["x", "y"]),
        (pd.Series(["x", "y"], dtype="string"), ["x", "y"]),
        (
            pd.to_datetime(pd.Series(["2024-01-01", "2024-01-02"])).dt.date,
            ["2024-01-01", "2024-01-02"],
        ),
        (pd.Series([1, 2]).astype("datetime64[s]"), ["1970-01-01T00:00:01", "1970-01-01T00:00:02"]),
        ([1.5, 2.0], ["1.5", "2"]),
        ([True, False], ["true", "false"]),
    ],
)
def test_keys_of_each_type_have_names(values: Any, names: list[str]) -> None:
    made = tracked.track(pd.DataFrame({"key": values}), table="t", key="key")
    assert made.backward([0, 1])["t"].names == names


@pytest.mark.parametrize(
    "values", [[1.5, 1.5], [True, None], [1, None], ["a", "a"], [["x"], ["y"]]]
)
def test_values_that_cannot_name_rows_are_refused(values: list[Any]) -> None:
    with pytest.raises(UsageError):
        tracked.track(pd.DataFrame({"key": values}), table="t", key="key")


def test_large_results_are_written_in_parts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("provhouse.tracking.tracked_triples.CHUNK", 7)
    a = tracked.track(frame(1, 40), table="a")
    assert a[a["flag"]].write_triples(tmp_path / "t.parquet", table="x") == int(
        frame(1, 40)["flag"].sum()
    )


def test_pairs_have_no_repeats() -> None:
    a = tracked.track(frame(1, 10), table="a")
    both = a.assign(x=a["v"].rank(), y=a["v"].cumsum(), z=a["v"] / a["v"].max())
    for _, near, far in pairs(both._node, both._positions(None)):
        assert len(set(zip(near.tolist(), far.tolist(), strict=True))) == near.size == 100


def test_arrow_types_are_read(tmp_path: Path) -> None:
    table = pa.table({"id": pa.array([1, 2], pa.int32()), "x": pa.array(["a", None])})
    pq.write_table(table, tmp_path / "a.parquet")
    read = tracked.read_parquet(tmp_path / "a.parquet", dtype_backend="pyarrow", key="id")
    assert read[read["x"].isna()].backward([0])["a"].names == ["2"]
