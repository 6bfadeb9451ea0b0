"""Traces that programs record themselves."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import provhouse
from provhouse.model.errors import Unavailable, UsageError


def _rows(path: Path) -> list[dict[str, Any]]:
    read = pa_csv.read_csv if path.suffix == ".csv" else pq.read_table
    found: list[dict[str, Any]] = read(path).to_pylist()
    return found


@pytest.mark.parametrize("name", ["trace.csv", "trace.parquet"])
def test_a_file_appears_whole_at_the_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with provhouse.trace(path) as trace:
        with trace.step("clean", table="orders") as step:
            step.derive(17, from_=["raw/4711", ("customers", 3)])
        assert not path.exists()
    first, second = _rows(path)
    assert first["src"] == "raw/4711"
    assert (first["dst"], first["src_table"], first["dst_table"]) == ("orders/17", "raw", "orders")
    assert first["op"].startswith("clean test_trace.py:")
    assert (second["src"], second["op_kind"]) == ("customers/3", "all")
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_step_that_fails_records_nothing(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    with provhouse.trace(path) as trace:
        for number in range(3):
            try:
                with trace.step("clean", table="orders") as step:
                    step.derive(number, from_=[("raw", number)])
                    if number == 1:
                        raise ValueError
            except ValueError:
                pass
    assert [row["dst"] for row in _rows(path)] == ["orders/0", "orders/2"]


def test_an_exception_leaves_no_file(tmp_path: Path) -> None:
    def failing() -> None:
        with provhouse.trace(tmp_path / "trace.csv") as trace:
            with trace.step("clean", table="orders") as step:
                step.derive(1, from_=["raw/1"])
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        failing()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_trace_is_an_empty_file(tmp_path: Path) -> None:
    provhouse.trace(tmp_path / "trace.parquet").close()
    assert _rows(tmp_path / "trace.parquet") == []


def test_threads_record_at_the_same_time_into_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provhouse.tracking.trace.BATCH", 100)
    folder = tmp_path / "traces"
    with provhouse.trace(folder=folder) as trace:

        def work(number: int) -> None:
            with trace.step("copy", table="out") as step:
                for each in range(10):
                    step.derive(f"{number}-{each}", from_=[("in", number)])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(50)))
    files = list(folder.iterdir())
    assert len(files) >= 5
    found = [row["dst"] for file in files for row in _rows(file)]
    assert len(found) == len(set(found)) == 500


def test_commit_writes_what_is_new(tmp_path: Path) -> None:
    with provhouse.trace(folder=tmp_path) as trace:
        for number in (1, 2):
            with trace.step("copy", table="out") as step:
                step.derive(number, from_=["in/1"])
            assert trace.commit() == 1
        assert trace.commit() == 0
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"out": None, "from_": ["a/1"]}, "has the key None in out"),
        ({"out": True, "from_": ["a/1"]}, "A key is a text or an integer"),
        ({"out": 1.5, "from_": ["a/1"]}, "A key is a text or an integer"),
        ({"out": 1, "from_": []}, "derives an item from nothing"),
        ({"out": 1, "from_": "a/1"}, "Give a list"),
        ({"out": 1, "from_": [None]}, "has None in from_"),
        ({"out": 1, "from_": [("a", None)]}, "has the key None in from_"),
        ({"out": 1, "from_": ["a/1"], "kind": "some"}, "Kinds are: all"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    trace = provhouse.trace(tmp_path / "trace.csv")
    with pytest.raises(UsageError) as error, trace.step("clean", table="orders") as step:
        step.derive(arguments.pop("out"), **arguments)
    assert words in str(error.value)
    assert "derive was called at test_trace.py:" in str(error.value)


def test_wrong_targets_are_refused(tmp_path: Path) -> None:
    for given in (
        {},
        {"file": "a.csv", "folder": "b"},
        {"file": "a.txt"},
        {"folder": "b", "run": "r"},
    ):
        with pytest.raises(UsageError):
            provhouse.trace(**given)
    with pytest.raises(UsageError, match="needs a name and a table"):
        provhouse.trace(tmp_path / "a.csv").step("", table="t")
    with pytest.raises(UsageError, match="when it is closed"):
        provhouse.trace(tmp_path / "a.csv").commit()
    with pytest.raises(Unavailable, match="Cannot write triples"):
        provhouse.trace(tmp_path / "missing" / "a.csv").close()
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(Unavailable, match="Cannot make the folder"),
        provhouse.trace(folder=tmp_path / "file" / "x") as trace,
        trace.step("s", table="t") as step,
    ):
        step.derive(1, from_=["a/1"])


def test_a_step_that_ends_too_late_is_refused(tmp_path: Path) -> None:
    trace = provhouse.trace(tmp_path / "a.csv")
    step = trace.step("s", table="t")
    trace.close()
    with pytest.raises(UsageError, match="The trace is closed"), step:
        step.derive(1, from_=["a/1"])
