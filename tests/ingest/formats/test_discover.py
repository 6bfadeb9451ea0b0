"""A path to a file or folder, or a pattern, is resolved to the right input files."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from provhouse.ingest.formats import known_formats
from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput, UsageError


def names(folder: Path, found: Iterable[Source]) -> list[str]:
    return [str(Path(source.path).relative_to(folder)) for source in found]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "b.csv", "a.CSV.GZ", "x.parquet", "_SUCCESS", ".hidden.csv", "notes.txt", "c.csv.zst",
        "deep/j.jsonl", "deep/er/k.ndjson.gz", "deep/er/l.JSONL.zst", "_later/m.csv",
        "x.parquet.gz",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_a_folder_stands_for_the_files_with_known_endings(tree: Path) -> None:
    found = sources([tree, tree / "b.csv"], None)
    assert names(tree, found) == [
        "a.CSV.GZ", "b.csv", "c.csv.zst", "deep/er/k.ndjson.gz", "deep/er/l.JSONL.zst",
        "deep/j.jsonl", "x.parquet",
    ]  # fmt: skip
    assert [source.format for source in found] == ["csv"] * 3 + ["jsonl"] * 3 + ["parquet"]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("*.csv*", ["b.csv", "c.csv.zst"]),
        ("*/*", ["deep/er/k.ndjson.gz", "deep/er/l.JSONL.zst", "deep/j.jsonl", "_later/m.csv"]),
        ("**/*.gz", ["deep/er/k.ndjson.gz"]),
        ("**/[jl].*", ["deep/er/l.JSONL.zst", "deep/j.jsonl"]),
        ("?.parquet", ["x.parquet"]),
    ],
)
def test_a_pattern_stands_for_the_matching_files(
    tree: Path, pattern: str, matched: list[str]
) -> None:
    assert sorted(names(tree, sources([tree / pattern], None))) == sorted(matched)


def test_a_pattern_without_a_match_is_named(tree: Path) -> None:
    with pytest.raises(BadInput, match=r"The pattern .*/\*\.avro matches no input files"):
        sources([tree / "*.avro"], None)
    with pytest.raises(BadInput, match="matches no input files"):
        sources([tree / "notes.*"], None)
    assert names(tree, sources([tree / "notes.*"], "csv")) == ["notes.txt"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tree: Path) -> None:
    (tree / "[b].csv").touch()
    assert names(tree, sources([tree / "[b].csv"], None)) == ["[b].csv"]


def test_an_unusable_path_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(BadInput, match="No such file or folder"):
        sources([tmp_path / "nothing.csv"], None)
    with pytest.raises(BadInput, match="contains no input files"):
        sources([tmp_path], None)
    with pytest.raises(BadInput, match="device or a pipe"):
        sources([Path("/dev/null")], None)
    with pytest.raises(UsageError, match="--input"):
        sources([tmp_path / "notes.txt"], None)
    assert sources([tmp_path / "notes.txt"], "csv")[0].format == "csv"


def test_files_of_a_delta_table_are_not_read_alone(tmp_path: Path) -> None:
    table = tmp_path / "lake" / "t"
    rows = pa.table({"src": ["a"], "dst": ["b"], "day": ["x"]})
    for _ in range(2):
        write_deltalake(table, rows, mode="overwrite", partition_by=["day"])
    (tmp_path / "lake" / "more.csv").touch()
    found = sources([tmp_path / "lake"], None)
    assert [source.format for source in found] == ["csv", "parquet"]
    assert found[1].constants == (("day", "x"),)
    assert sources([tmp_path / "l*"], None) == found
    for path in ("lake/**/*.parquet", found[1].path):
        with pytest.raises(BadInput, match="part of the Delta table"):
            sources([tmp_path / path], None)


def test_a_cyclic_link_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "a.csv"
    link.symlink_to(link)
    with pytest.raises(BadInput, match="Cannot open"):
        sources([link], None)


def test_every_format_is_found_by_its_ending(tmp_path: Path) -> None:
    """The error for an unknown file suffix lists the formats that ``--input`` supports."""
    for each in known_formats.FORMATS.values():
        for ending in each.endings:
            assert known_formats.format_of(Path(f"A{ending.upper()}")) == each.name
            packed = each.name if each.compressible else ""
            assert known_formats.format_of(Path(f"a{ending}.gz")) == packed
    assert "export" not in known_formats.CHOICES
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError) as caught:
        sources([tmp_path / "notes.txt"], None)
    assert all(name in str(caught.value.remedy) for name in known_formats.CHOICES)
