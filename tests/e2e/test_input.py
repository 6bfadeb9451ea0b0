"""Bad input ends with exit status 4 and a message with file and line, and changes no data."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command import Command
from helpers.sampled import one_in

GOOD = "src,dst,op\na,b,x\n"


def _parquet(path: Path) -> bytes:
    pq.write_table(pa.table({"src": ["a"] * 1000, "dst": ["b"] * 1000}), path)
    return path.read_bytes()


def empty(folder: Path) -> tuple[Path, str]:
    """An empty file."""
    file = folder / "empty.csv"
    file.touch()
    return file, "It is empty"


def without_columns(folder: Path) -> tuple[Path, str]:
    """A file without the required columns."""
    file = folder / "other.csv"
    file.write_text("from,to\na,b\n")
    return file, "The columns are from, to"


def twice_a_column(folder: Path) -> tuple[Path, str]:
    """A file in which one column occurs twice."""
    file = folder / "twice.csv"
    file.write_text("src,dst,src\na,b,c\n")
    return file, "Found more than once: src"


def torn_parquet(folder: Path) -> tuple[Path, str]:
    """A truncated Parquet file."""
    file = folder / "torn.parquet"
    file.write_bytes(_parquet(file)[:-100])
    return file, "not readable as "


def no_parquet(folder: Path) -> tuple[Path, str]:
    """A CSV file whose name ends in .parquet."""
    file = folder / "table.parquet"
    file.write_text(GOOD)
    return file, "not readable as "


def parquet_without_columns(folder: Path) -> tuple[Path, str]:
    """A Parquet file without the required columns."""
    file = folder / "other.parquet"
    pq.write_table(pa.table({"src": ["a"]}), file)
    return file, "no column dst"


def no_gzip(folder: Path) -> tuple[Path, str]:
    """A CSV file whose name ends in .csv.gz."""
    file = folder / "table.csv.gz"
    file.write_text(GOOD)
    return file, "line 1"


def no_json(folder: Path) -> tuple[Path, str]:
    """A CSV file whose name ends in .jsonl."""
    file = folder / "table.jsonl"
    file.write_text(GOOD)
    return file, "not readable as "


def json_without_columns(folder: Path) -> tuple[Path, str]:
    """JSON objects without the required keys."""
    file = folder / "other.jsonl"
    file.write_text('{"from": "a", "to": "b"}\n')
    return file, "The columns are from, to"


def no_zstd(folder: Path) -> tuple[Path, str]:
    """A CSV file whose name ends in .csv.zst."""
    file = folder / "table.csv.zst"
    file.write_text(GOOD)
    return file, "line 1"


def no_match(folder: Path) -> tuple[Path, str]:
    """A glob pattern that matches no file."""
    return folder / "*.ndjson", "matches no input files"


def broken_delta(folder: Path) -> tuple[Path, str]:
    """A Delta table with an empty log."""
    table = folder / "table"
    (table / "_delta_log").mkdir(parents=True)
    return table, "Its log is not readable"


def missing(folder: Path) -> tuple[Path, str]:
    """A file that does not exist."""
    return folder / "nowhere.csv", "No such file or folder"


def folder_without_files(folder: Path) -> tuple[Path, str]:
    """A folder without files of a known format."""
    (folder / "sub").mkdir()
    (folder / "sub" / "notes.txt").touch()
    return folder / "sub", "No name in it ends in .csv"


def a_device(folder: Path) -> tuple[Path, str]:
    """A device file, which can be read only once."""
    return Path("/dev/null"), "a device or a pipe"


@pytest.mark.parametrize(
    "make",
    one_in(6, [
        empty, without_columns, twice_a_column, torn_parquet, no_parquet, parquet_without_columns,
        no_gzip, no_json, json_without_columns, no_zstd, no_match, broken_delta, missing,
        folder_without_files, a_device,
    ]),
)  # fmt: skip
def test_an_unusable_file_is_found_before_anything_is_started(
    make: Callable[[Path], tuple[Path, str]], fresh: Command, tmp_path: Path
) -> None:
    """An unusable file is found even if it follows a good one."""
    good = tmp_path / "good.csv"
    good.write_text(GOOD)
    file, found = make(tmp_path)
    done = fresh("ingest", good, file, status=4)
    assert str(file) in done.message
    assert found in done.message
    assert done.out == ""
    assert not fresh.warehouse.exists()


def test_a_file_of_unknown_format_is_refused(fresh: Command, tmp_path: Path) -> None:
    file = tmp_path / "triples.dat"
    file.write_text(GOOD)
    done = fresh("ingest", file, status=2)
    assert str(file) in done.message
    assert "--input: csv" in done.message
    assert not fresh.warehouse.exists()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("x = ", "is not valid TOML"),
        ("x = 3", "is neither a list of tables"),
        ('x = ["a"]\ny = ["a"]', "names a twice"),
    ],
)
def test_an_invalid_splits_file_is_refused(
    content: str, found: str, fresh: Command, tmp_path: Path
) -> None:
    good, splits = tmp_path / "good.csv", tmp_path / "splits.toml"
    good.write_text(GOOD)
    splits.write_text(content)
    done = fresh("ingest", good, "--splits", splits, status=4)
    assert str(splits) in done.message
    assert found in done.message
    assert not fresh.warehouse.exists()


def broken_gzip(folder: Path) -> tuple[Path, str]:
    """A truncated gzip file whose readable part is a valid CSV file."""
    file = folder / "broken.csv.gz"
    lines = "".join(f"a{n},b{n},x\n" for n in range(10_000))
    file.write_bytes(gzip.compress(("src,dst,op\n" + lines).encode())[:-1000])
    return file, "broken.csv.gz"


def too_few_values_in_two_lines(folder: Path) -> tuple[Path, str]:
    """A row with too few values.

    The row begins in line 4, because the row before it spans two lines.
    """
    file = folder / "fields.csv"
    file.write_text('src,dst,op\n"a\nb",c,x\nd,"e\nh"\nf,g,x\n')
    return file, "fields.csv, line 4"


@pytest.mark.parametrize("make", one_in(4, [too_few_values_in_two_lines, broken_gzip]))
def test_an_error_inside_one_file_rejects_all_files(
    make: Callable[[Path], tuple[Path, str]],
    stored: Command,
    unchanged: Callable[[], None],
    tmp_path: Path,
) -> None:
    good = tmp_path / "good.csv"
    good.write_text(GOOD)
    file, named = make(tmp_path)
    done = stored("ingest", good, file, status=4)
    assert named in done.message
    assert "Nothing was ingested" in done.message
    assert done.out == ""
    unchanged()


def test_splits_with_an_unknown_table_are_refused(
    stored: Command, unchanged: Callable[[], None], first_file: Path, tmp_path: Path
) -> None:
    splits = tmp_path / "splits.toml"
    splits.write_text('x = ["raw", "clean"]\ny = ["reprot"]')
    done = stored("ingest", first_file, "--splits", splits, status=4)
    assert "reprot" in done.message
    unchanged()


def test_a_preview_starts_and_writes_nothing(fresh: Command, tmp_path: Path) -> None:
    fresh.settings["PATH"] = str(tmp_path)  # a folder that does not contain Java
    fresh.settings["JAVA_HOME"] = ""
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(
            '{"from": "a", "dst": "b"}\n{"from": "", "dst": "b"}\n'
        )
    arguments = ("ingest", tmp_path / "*.jsonl", "--map", "src=from", "--dry-run")
    found = json.loads(fresh(*arguments).out)
    assert (found["files"], found["rows"], found["rejected"], found["items"]) == (2, 4, 2, 2)
    shown = fresh(*arguments, "--format", "table").out
    assert "src = from" in shown
    assert f"{tmp_path / 'a.jsonl'}, row 2: no src" in shown
    assert not fresh.warehouse.exists()
