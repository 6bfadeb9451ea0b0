"""The columns of a second file, compared with DuckDB's own join."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from provhouse.interactive.charts.file_records import FileRecords
from provhouse.interactive.charts.linked_records import LinkedRecords, other_records
from provhouse.interactive.charts.linked_views import ChartViews
from provhouse.interactive.charts.saved_selection import write_selection
from provhouse.model.errors import BadInput, UsageError
from provhouse.serve.charts.file_page import FilePage

SEED = 5
PLANES = pa.table(
    {
        "tail": ["N1", "N2", "N3", None],
        "year": pa.array([1999, None, 2004, 2010], pa.int16()),
        "maker": ["Boeing", "Airbus", "Boeing", "Cessna"],
        "bought": [date(2000, 1, 2), date(2001, 3, 4), None, date(2002, 5, 6)],
    }
)


def flights(rows: int) -> pa.Table:
    """Return flights; some have no plane, and some a plane that the other file lacks."""
    random = Random(SEED)
    tails = random.choices(["N1", "N2", "N3", "N9", None], k=rows)
    years = random.choices([2013, 2014], k=rows)
    return pa.table({"id": range(rows), "tail": tails, "year": years})


@contextmanager
def linked(folder: Path, on: str, planes: pa.Table = PLANES) -> Iterator[LinkedRecords]:
    """Yield the records of two files that have been written to a folder."""
    pq.write_table(flights(500), folder / "flights.parquet", row_group_size=70)
    pq.write_table(planes, folder / "planes.parquet")
    records = FileRecords(folder / "flights.parquet")
    try:
        found = other_records(folder / "planes.parquet", records, on)
    except (BadInput, UsageError):
        records.close()
        raise
    try:
        yield found
    finally:
        found.close()


def asked(text: str) -> Any:
    """Return the rows of a query as an Arrow table."""
    found: Any = duckdb.connect().sql(text)
    return found.to_arrow_table()


def listed(table: pa.Table) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: row["id"])


def test_the_columns_are_those_of_a_join(tmp_path: Path) -> None:
    with linked(tmp_path, "tail") as found:
        assert found.columns[3:] == ["planes.year", "planes.maker", "planes.bought"]
        joined = asked(f"from {found.source}")
        assert listed(found.table) == listed(joined)
        assert len(joined) == 500


def test_a_brush_on_one_file_selects_records_of_both(tmp_path: Path) -> None:
    """The counts, the selected records and the SQL of the brush agree with a join by DuckDB."""
    with linked(tmp_path, "tail") as found:
        names = dict.fromkeys(["year", "planes.maker"])
        views = ChartViews(found.table.select(found.columns), names, (), {}, 64)
        page = FilePage(found, views, tmp_path)
        makers = views.bars["planes.maker"].labels
        at = makers.index("Boeing")
        brush = {"planes.maker": [(at, at + 1)]}
        rows = page.selected(brush, None, 500).tolist()
        assert rows
        expected = asked(page.sql(brush))
        assert sorted(found.table["id"].take(pa.array(rows)).to_pylist()) == sorted(
            expected["id"].to_pylist()
        )
        of = f"""select id from '{tmp_path}/flights.parquet' f
            join '{tmp_path}/planes.parquet' p using (tail) where maker = 'Boeing'"""
        assert sorted(expected["id"].to_pylist()) == sorted(asked(of)["id"].to_pylist())
        write_selection(found, rows, "boeing", "", tmp_path / "s.parquet", "id")
        assert pq.read_table(tmp_path / "s.parquet").num_rows == len(rows)


def test_columns_of_other_names_and_types(tmp_path: Path) -> None:
    other = pa.table({"number": pa.array([2014, 2013], pa.int32()), "leap": [False, True]})
    with linked(tmp_path, "year=number", other) as found:
        given = zip(found.table["year"].to_pylist(), found.table["planes.leap"], strict=True)
        assert {(year, leap.as_py()) for year, leap in given} == {(2013, True), (2014, False)}


@pytest.mark.parametrize(
    ("on", "planes", "error"),
    [
        ("plane", PLANES, "flights.parquet has no column 'plane'"),
        ("tail=plane", PLANES, "planes.parquet has no column 'plane'"),
        ("tail", pa.concat_tables([PLANES, PLANES]), "The column tail of .* is no key"),
        ("year=tail", PLANES, "year is int64, but tail is string"),
        ("tail=year", PLANES.slice(0, 3), "tail is string, but year is int64"),
    ],
)
def test_files_that_cannot_be_linked(tmp_path: Path, on: str, planes: pa.Table, error: str) -> None:
    with pytest.raises((BadInput, UsageError), match=error), linked(tmp_path, on, planes):
        pass
