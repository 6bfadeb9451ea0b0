"""Trace files contain the whole trace, names have realistic lengths, and runs are reproducible."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from benchmarks.traces import trace_files
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import SCHEMA, Format, Trace, named, write

TRACE = "benchmarks.traces.make_trace"


@pytest.fixture
def trace(monkeypatch: pytest.MonkeyPatch) -> Trace:
    """A small trace in files of up to 1,000 rows. At most 300 rows are in memory at a time."""
    monkeypatch.setattr(trace_files, "ROWS", 1_000)
    monkeypatch.setattr(trace_files, "PIECE", 300)
    return SHAPES["runs"](2_000, 7)


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa_csv.read_csv(
        path, convert_options=pa_csv.ConvertOptions(column_types=SCHEMA, strings_can_be_null=False)
    )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_written_files_read_back_equal(trace: Trace, tmp_path: Path, form: Format) -> None:
    files = write(trace, tmp_path, 2, form)
    assert files == sorted(tmp_path.iterdir())
    tables = [read(file) for file in files]
    assert max(table.num_rows for table in tables) == 1_000
    whole = pa.concat_tables([named(trace, copy, trace.src, trace.dst) for copy in (1, 2)])
    assert pa.concat_tables(tables).equals(whole)


def test_names_are_distinct(trace: Trace) -> None:
    items = np.arange(len(trace.table), dtype=np.int32)
    every = pa.concat_arrays([trace_files.names(trace, copy, items) for copy in (1, 2)])
    assert len(every.unique()) == 2 * len(items)
    length = pc.min_max(pc.utf8_length(every)).as_py()
    assert 40 <= length["min"] <= length["max"] <= 60


def test_rows_have_the_names_tables_and_ops_of_items(trace: Trace) -> None:
    rows = named(trace, 2, trace.src, trace.dst).to_pylist()
    for row, src, dst in zip(rows, trace.src.tolist(), trace.dst.tolist(), strict=True):
        for end, item in (("src", src), ("dst", dst)):
            table = trace.tables[trace.table[item]]
            assert row[f"{end}_table"] == table
            assert row[end].startswith("copy-02/")
            assert row[end].endswith(f"/{table}/{item:09}")
        assert row["op"] == f"derive_{row['dst_table']}"


def test_tables_are_named_unless_there_are_none() -> None:
    tabled, untabled = (
        named(made, 1, made.src, made.dst)
        for made in (SHAPES["runs"](500, 7), SHAPES["untabled"](500, 7))
    )
    assert set(tabled["src_table"].to_pylist()) > {"inputs", "cleaned"}
    assert set(untabled["src_table"].to_pylist() + untabled["dst_table"].to_pylist()) == {""}


def run(folder: Path) -> str:
    """Run `make_trace.py` for two copies of a hard shape, and return the output."""
    given = ["--shape", "merkle", "--items", "3000", "--copies", "2", "--seed", "9"]
    given += ["--out", str(folder / "files"), "--report", str(folder / "report.json")]
    done = subprocess.run(
        [sys.executable, "-m", TRACE, *given], capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 2}, done.stderr
    return done.stdout or done.stderr


@pytest.mark.long
def test_the_command_writes_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    printed = [run(tmp_path / name) for name in ("one", "other")]
    one, other = (
        {file.name: file.read_bytes() for file in (tmp_path / name / "files").iterdir()}
        for name in ("one", "other")
    )
    assert one == other
    assert len(one) == 2
    report = json.loads((tmp_path / "one" / "report.json").read_text())
    assert sum(content.count(b"\n") - 1 for content in one.values()) == report["triples"]
    assert printed[0] == printed[1]
    assert f"triples: {report['triples']}" in printed[0]
    assert "is not empty" in run(tmp_path / "one")
