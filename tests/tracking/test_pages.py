"""The Python blocks of docs/pandas.md and docs/trace.md run, one after another, in a new folder."""

import doctest
import os
from pathlib import Path

import pandas
import polars
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from helpers.pages import run
from provhouse.tracking import trace
from provhouse.tracking.pandas_frames import sources as pandas_sources
from provhouse.tracking.polars_frames import polars_sources as polars_sources


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "orders.csv").write_text("id,customer,amount\n17,x,5\n18,y,\n19,x,9\n")
    (tmp_path / "customers.csv").write_text("customer,country\nx,DE\ny,FR\n")
    return tmp_path


def test_the_page_of_frames(shop: Path) -> None:
    assert "The lineage of groupby.rolling is not tracked" in run("pandas.md", shop)
    found = pa_csv.read_csv(shop / "trace.csv").to_pylist()
    assert ("orders/19", "report/DE") in [(row["src"], row["dst"]) for row in found]
    assert found[0]["op"].startswith("groupby.sum shop.py:")
    assert {row["dst_table"] for row in pq.read_table(shop / "totals.parquet").to_pylist()} == {
        "clean",
        "totals",
    }


@pytest.mark.long
def test_the_page_of_traces(tmp_path: Path) -> None:
    run("trace.md", tmp_path)
    found = pq.read_table(tmp_path / "clean.parquet").to_pylist()
    assert [(row["src"], row["dst"], row["op"]) for row in found] == [
        ("raw/4711", "orders/11", "clean shop.py:5"),
        ("raw/4712", "orders/12", "clean shop.py:5"),
    ]
    assert len(list((tmp_path / "traces").iterdir())) == 1


def test_the_examples_of_docstrings_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (trace, pandas_sources, polars_sources):
        found = doctest.testmod(module, extraglobs={"pandas": pandas, "polars": polars})
        assert (found.failed, found.attempted > 0) == (0, True)
    assert os.listdir() == ["trace.csv"]
