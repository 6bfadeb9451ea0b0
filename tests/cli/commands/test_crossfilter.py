"""``provhouse crossfilter`` reports wrong files and columns before it serves anything."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.cli.app import run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with usual and unusual columns."""
    table = pa.table(
        {
            "id": range(1000),
            "none": pa.nulls(1000, pa.int64()),
            "list": [[1]] * 1000,
            "far": [float("inf"), *range(999)],
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


@pytest.mark.parametrize(
    ("options", "status", "texts"),
    [
        (["--by", "hour"], 2, ["There is no column 'hour'", "id, none, list, far"]),
        (["--by", "none"], 4, ["'none' is empty", "All its values are NULL"]),
        (["--by", "list"], 2, ["'list' cannot be charted"]),
        (["--by", "far"], 4, ["infinite number", "row 1"]),
        (["--by", "id=1000000"], 2, ["'id' cannot have 1,000,000 bars", "20,000"]),
        (["--by", "id=9,3"], 2, ["not in ascending order"]),
        (["--by", "id=day"], 2, ["'id' cannot be divided by 'day'"]),
        (["--grid", "id,id=1000"], 2, ["would have 1,000,000 cells"]),
        (["--grid", "id"], 2, ["not of the form X,Y"]),
        (["--by", "id", "--measure", "list"], 2, ["cannot be added up"]),
        (["--by", "id", "--key", "key"], 2, ["There is no column 'key'"]),
        (["--by", "id", "--table", "t"], 2, ["has no tables"]),
        (["--on", "id"], 2, ["--link and --on belong together"]),
        (["--link", "none.csv", "--on", "id"], 3, ["There is no file none.csv"]),
    ],
)
def test_what_cannot_be_shown_is_refused(
    file: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    status: int,
    texts: list[str],
) -> None:
    assert run(["crossfilter", str(file), *options]) == status
    out, err = capsys.readouterr()
    assert out == ""
    for text in texts:
        assert text in " ".join(err.split())


def test_a_missing_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["crossfilter", str(tmp_path / "none.csv"), "--by", "a"]) == 3
    assert "There is no file" in capsys.readouterr().err
