"""Lineage of queries over files and data frames, also after a file changes or disappears."""

import datetime
import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.sampled import one_in
from provhouse.interactive import Connection, connect
from provhouse.model.errors import NotFound, UsageError

TRIPS: dict[str, list[Any]] = {
    "carrier": ["UA", "AA", None, "UA", "DL", "AA", "UA"],
    "delay": [4.5, None, 7.0, -1.0, 0.0, 12.25, 4.5],
    "day": [datetime.date(2026, 1, at) for at in (1, 2, 3, 1, 2, 3, 1)],
    "stops": [0, 1, 2, 0, 1, 2, None],
}
QUERY = (
    "select carrier, count(*) n, avg(delay) d from trips where day < '2026-01-03' group by carrier"
)


def rows() -> list[dict[str, Any]]:
    return [dict(zip(TRIPS, each, strict=True)) for each in zip(*TRIPS.values(), strict=True)]


def of_csv(folder: Path) -> Any:
    pl.DataFrame(TRIPS).write_csv(folder / "trips.csv")
    return folder / "trips.csv"


def of_parquet(folder: Path) -> Any:
    pq.write_table(pa.table(TRIPS), folder / "trips.parquet")
    return str(folder / "trips.parquet")


def of_json(folder: Path) -> Any:
    pl.DataFrame(TRIPS).write_ndjson(folder / "trips.json")
    return folder / "trips.json"


def categorical(_: Path) -> Any:
    return pl.DataFrame(TRIPS).with_columns(pl.col("carrier").cast(pl.Categorical))


def labelled(_: Path) -> Any:
    """A pandas data frame whose labels have gaps, because a filter dropped rows."""
    wider = pd.DataFrame({name: [None, *values] for name, values in TRIPS.items()})
    return wider[wider.index > 0].astype({"stops": "Int64"})


SOURCES: dict[str, Callable[[Path], Any]] = {
    "csv": of_csv,
    "parquet": of_parquet,
    "json": of_json,
    "polars": lambda _: pl.DataFrame(TRIPS),
    "polars categorical": categorical,
    "pandas": lambda _: pd.DataFrame(TRIPS).astype({"stops": "Int64"}),
    "pandas labelled": labelled,
    "Arrow": lambda _: pa.table(TRIPS),
    "record batch": lambda _: pa.RecordBatch.from_pydict(TRIPS),
}


@pytest.mark.parametrize("kind", one_in(3, SOURCES))
def test_rows_are_traced_to_the_records_of_each_source(kind: str, tmp_path: Path) -> None:
    con = connect()
    con.register("trips", SOURCES[kind](tmp_path))
    result = con.sql(QUERY, lineage=True)
    early = [row for row in rows() if row["day"] < datetime.date(2026, 1, 3)]
    assert Counter(result.to_arrow().column("carrier").to_pylist()) == Counter(
        {row["carrier"] for row in early}
    )
    for at, line in enumerate(result.to_arrow().to_pylist()):
        expected = [row for row in early if row["carrier"] == line["carrier"]]
        records = result.backward("trips", [at])
        assert records.to_arrow().to_pylist() == expected
        assert records.to_pandas().shape == (len(expected), len(TRIPS))
        assert [rows()[rid] for rid in records.rids] == expected
        assert result.forward("trips", records.rids).tolist() == [at]
        delays = records.sql("select sum(delay) as s from records").to_pylist()
        known = [row["delay"] for row in expected if row["delay"] is not None]
        assert delays == [{"s": sum(known) if known else None}]


def test_a_file_is_a_table_with_its_name(tmp_path: Path) -> None:
    csv = of_csv(tmp_path)
    with gzip.open(tmp_path / "trips.csv.gz", "wb") as packed:
        packed.write(csv.read_bytes())
    for file in (csv, tmp_path / "trips.csv.gz", of_parquet(tmp_path), of_json(tmp_path)):
        with connect(file) as con:
            assert con.sql(QUERY, lineage=True).references == ["trips"]


def test_a_column_of_nulls_has_lineage_too() -> None:
    con = connect()
    nothing = {"k": ["a", "b", "a"], "v": [None, None, None]}
    for data in (pa.table(nothing), pl.DataFrame(nothing), pd.DataFrame(nothing)):
        con.register("t", data)
        result = con.sql("select v, count(*) n, max(v) m from t group by v", lineage=True)
        assert result.to_arrow().to_pylist() == [{"v": None, "n": 3, "m": None}]
        assert result.backward("t", [0]).rids.tolist() == [0, 1, 2]


def changed(con: Connection, ask: Callable[[], Any]) -> None:
    with pytest.raises(UsageError, match=r"trips\.csv has changed since it was read") as caught:
        ask()
    assert "register('trips', " in caught.value.remedy


def test_a_file_that_changed_is_an_error_until_it_is_read_again(tmp_path: Path) -> None:
    con = connect(file := of_csv(tmp_path))
    con.register("other", pa.table({"carrier": ["UA"]}))
    result = con.sql(QUERY, lineage=True)
    records = result.backward("trips", [0])
    violations = con.check_fd("trips", "carrier -> day")
    file.write_text(file.read_text().replace("UA", "ZZ"))
    for ask in (
        lambda: result.backward("trips", [0]),
        lambda: result.forward("trips", [0]),
        lambda: result.why(0),
        lambda: records.to_arrow(),
        lambda: records.sql("select count(*) from records"),
        lambda: violations.records(),
        lambda: con.sql(QUERY, lineage=True),
        lambda: con.sql("select * from other join trips using (carrier)", lineage=True),
        lambda: con.views("trips", carrier="carrier"),
        lambda: con.check_fd("trips", "carrier -> day"),
    ):
        changed(con, ask)
    assert len(con.sql("select * from other", lineage=True).backward("other")) == 1
    con.register("trips", file)
    again = con.sql(QUERY + " order by carrier desc nulls last", lineage=True)
    assert again.to_arrow().column("carrier").to_pylist()[0] == "ZZ"
    assert set(again.backward("trips", [0]).to_arrow().column("carrier").to_pylist()) == {"ZZ"}
    with pytest.raises(UsageError, match="can no longer be asked"):
        result.backward("trips", [0])


def test_a_file_that_disappeared_or_a_new_file_of_a_pattern_is_a_change(tmp_path: Path) -> None:
    file = of_csv(tmp_path)
    con = connect()
    con.register("trips", str(tmp_path / "*.csv"))
    result = con.sql(QUERY, lineage=True)
    (tmp_path / "more.csv").write_text(file.read_text())
    with pytest.raises(UsageError, match="has changed since it was read"):
        result.backward("trips", [0])
    con.register("trips", file)
    result = con.sql(QUERY, lineage=True)
    file.unlink()
    changed(con, lambda: result.backward("trips", [0]))


def test_a_table_made_anew_does_not_depend_on_the_file(tmp_path: Path) -> None:
    con = connect(file := of_csv(tmp_path))
    con.execute("create or replace temp table trips as select 'UA' carrier, 1 delay")
    file.unlink()
    assert len(con.sql("select * from trips", lineage=True).backward("trips")) == 1


def test_errors_name_what_cannot_be_read(tmp_path: Path) -> None:
    con = connect()
    for path in ("missing.csv", "missing.parquet", tmp_path / "*.json"):
        with pytest.raises(NotFound, match="There is no file"):
            con.register("t", path)
    with pytest.raises(NotFound, match="There is no file missing"):
        connect("missing.parquet")
    with pytest.raises(UsageError, match=r"There is no file trips\.parqet"):
        connect("trips.parqet")
    assert not Path("trips.parqet").exists()
    with pytest.raises(UsageError, match=r"trips\.xlsx.*\n.*\.parquet, \.csv"):
        con.register("t", "trips.xlsx")
    with pytest.raises(UsageError, match="Cannot make a table of LazyFrame") as caught:
        con.register("t", pl.DataFrame(TRIPS).lazy())
    assert "collect()" in caught.value.remedy
    with pytest.raises(UsageError, match="Cannot make a table of list"):
        con.register("t", [1, 2])
    with pytest.raises(UsageError, match="Cannot make a table of this DataFrame"):
        con.register("t", pd.DataFrame({"a": [1, "x"]}))
    with connect(tmp_path / "new.duckdb") as new:
        new.execute("create table t as select 1 a")
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(duckdb.Error):
        con.register("t", tmp_path / "broken.parquet")
