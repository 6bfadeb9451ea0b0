"""The values of ops and attributes are listed once, in order, with their triple counts."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from helpers.warehouse import House
from provhouse.care.retract import Retracting, retract
from provhouse.model.attributes import as_object
from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent
from provhouse.query.exporting import values
from provhouse.query.exporting.values import Count, _counted, _Runs, count_values

ODD = 'q"u\\o\n","k":"x'
ROWS = [{"k": "a", ODD: "1"}, {"k": ODD}, {"k": "a", "é": "2"}, {"z": "a"}, {}, {"k": "", ODD: "k"}]


def counted(of: str, texts: list[str]) -> list[Count]:
    table = _counted(pa.array(texts), of)
    found = Counter[str]()
    for row in table.to_pylist():
        found[row["value"]] += row["triples"]
    return sorted(found.items())


def test_keys_and_values_of_attributes_are_found_whatever_they_contain() -> None:
    texts = [as_object(row) for row in ROWS] * 2
    for key in ("k", ODD, "é", "z", "missing"):
        expected = Counter(row[key] for row in ROWS * 2 if key in row)
        assert counted(f"attributes.{key}", texts) == sorted(expected.items())
    assert counted("attributes", texts) == sorted(
        Counter(k for row in ROWS * 2 for k in row).items()
    )
    assert counted("op", ["x", "", "x"]) == [("", 1), ("x", 2)]


def test_runs_that_do_not_fit_in_memory_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "RUN_BYTES", 100)
    monkeypatch.setattr(values, "_BATCH", 2)
    runs, expected = _Runs(tmp_path), Counter[str]()
    for at in range(40):
        part = [f"v{(at * n) % 23}é" for n in range(9)]
        expected.update(part)
        runs.add(_counted(pa.array(part), "op"))
    assert len(list(tmp_path.iterdir())) > 3
    assert list(runs.merged()) == sorted(expected.items())


def test_values_of_a_warehouse_are_those_of_its_live_triples(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()

    def found(of: str, contains: str | None = None, as_of: int | None = None) -> list[Count]:
        with count_values(house.layout, of, Silent(), contains=contains, as_of=as_of) as counts:
            return list(counts)

    path = tmp_path / "t.csv"
    path.write_text("src,dst,op,month\na,b,x,2013-01\nb,c,y,2013-02\nc,d,x,2014-01\n")
    house.ingest_files(path)
    assert found("op") == [("x", 2), ("y", 1)]
    assert found("attributes") == [("month", 3)]
    assert found("attributes.month", contains="2013") == [("2013-01", 1), ("2013-02", 1)]
    retract(Retracting(items=["d"]), house.settings, Silent())
    assert found("op") == [("x", 1), ("y", 1)]
    assert found("op", as_of=1) == [("x", 2), ("y", 1)]
    for of in ("ops", "attributes.", "src"):
        with pytest.raises(UsageError, match="provhouse list values attributes"):
            found(of)
