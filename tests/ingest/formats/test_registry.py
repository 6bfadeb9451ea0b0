"""Broken files are refused with an error that names the file and states its defect."""

import gzip
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats import limits
from provhouse.ingest.formats.known_formats import batches
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput

HEADER = b"src,dst,op\n"


def read(path: Path, form: str = "csv") -> list[dict[str, object]]:
    return [row for batch in batches(Source(str(path), form)) for row in batch.rows.to_pylist()]


def packed(folder: Path, content: bytes, packer: str) -> Path:
    """Write a CSV file, compressed with ``packer``."""
    path = folder / f"t.csv.{packer}".rstrip(".")
    if packer == "gz":
        content = gzip.compress(content)
    elif packer == "zst":
        content = pa.compress(content, "zstd", asbytes=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"\n\n", 1),
        (b"from,to\na,b\n", 1),
        (b"src,op\na,b\n", 1),
        (b"src,dst,src\na,b,c\n", 1),
        (b"\xfe\xfe\x00src,dst\n", 1),
        (HEADER + b"a,b,c\na,b,c,d\n\na,\xff,c\n", 5),
        (HEADER + b'a,"b\nc",d\na,"b\nc"\n', 4),
        (HEADER + b"a,b,\xff\n", 2),
        (HEADER + b'a,"b,c\n', 2),
    ],
)
@pytest.mark.parametrize("packer", ["", "gz", "zst"])
def test_a_broken_csv_is_refused_with_its_line(
    tmp_path: Path, content: bytes, line: int, packer: str
) -> None:
    path = packed(tmp_path, content, packer)
    with pytest.raises(BadInput) as caught:
        read(path)
    assert f"{path}, line {line}" in caught.value.wanted
    assert caught.value.found


def cut_off(archive: bytes) -> bytes:
    return archive[: len(archive) // 2]


def spoilt(archive: bytes) -> bytes:
    return archive[:40] + bytes(40) + archive[80:]


def spoilt_later(archive: bytes) -> bytes:
    at = len(archive) * 3 // 4
    return archive[:at] + bytes(40) + archive[at + 40 :]


def other(archive: bytes) -> bytes:
    return b"this is no archive at all"


@pytest.mark.parametrize("harm", [cut_off, spoilt, spoilt_later, other])
@pytest.mark.parametrize("packer", ["gz", "zst"])
def test_a_broken_archive_is_refused(
    tmp_path: Path, harm: Callable[[bytes], bytes], packer: str
) -> None:
    rows = b"".join(f"item-{n * 7919 % 100_003},item-{n},op\n".encode() for n in range(50_000))
    path = packed(tmp_path, HEADER + rows, packer)
    assert len(read(path)) == 50_000
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(BadInput, match=str(path)):
        read(path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 nothing of the kind PAR1"])
def test_a_truncated_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=str(path)):
        read(path, "parquet")


def test_a_parquet_without_src_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"from": ["a"], "dst": ["b"]}), path)
    with pytest.raises(BadInput) as caught:
        read(path, "parquet")
    assert "line" not in caught.value.wanted
    assert "no column src" in caught.value.wanted


def test_quotes_newlines_and_unicode_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        '\ufeffsrc,dst,op\r\n"a\nb","c""d",\r\nä😀,"x,y",""\r\n', encoding="utf-8", newline=""
    )
    assert read(path) == [
        {"src": "a\nb", "dst": 'c"d', "op": None},
        {"src": "ä😀", "dst": "x,y", "op": ""},
    ]


def test_a_nul_is_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"src,dst,dst\0,a\0,a\n1,2,3,4,5\n")
    assert read(path) == [{"src": "1", "dst": "2"}]
    batch, *_ = batches(Source(str(path), "csv"))
    assert json.loads(batch.attributes[0].as_py()) == {"dst\0": "3", "a\0": "4", "a": "5"}


def test_numbers_are_names_too(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"src": [1, None], "dst": [2.5, 3.0], "op": ["x", None]}), path)
    assert read(path, "parquet") == [
        {"src": "1", "dst": "2.5", "op": "x"},
        {"src": None, "dst": "3", "op": None},
    ]


def test_rows_are_counted_over_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BLOCK", 100)
    path = tmp_path / "t.csv"
    path.write_bytes(HEADER + b"".join(f"a{n},b{n},c\n".encode() for n in range(100)))
    read = list(batches(Source(str(path), "csv")))
    assert len(read) > 3
    firsts = [batch.first_row for batch in read]
    assert firsts[0] == 1
    assert [b - a for a, b in pairwise(firsts)] == [batch.rows.num_rows for batch in read[:-1]]


@pytest.mark.parametrize("content", [HEADER, HEADER.rstrip(), HEADER + b"\n\n"])
def test_a_file_with_only_a_header_has_no_rows(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert read(path) == []


def test_a_damaged_row_group_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    names = [f"item {n}" for n in range(3_000)]
    table = pa.table({"src": names, "dst": names[::-1]})
    pq.write_table(table, path, row_group_size=1_000, write_page_checksum=True, compression="none")
    group = pq.read_metadata(path).row_group(1).column(0)
    content = bytearray(path.read_bytes())
    content[group.data_page_offset + 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadInput, match="row group 2: not readable as Parquet"):
        read(path, "parquet")


def test_a_time_outside_of_pythons_range_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    day = pa.array([2**30], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"src": ["a"], "dst": ["b"], "day": day}), path)
    with pytest.raises(BadInput, match="rows 1 to 1: not readable"):
        read(path, "parquet")


def test_text_in_parquet_must_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"src": pa.array([b"a", b"\xff"]), "dst": ["x", "y"]})
    pq.write_table(table, path)
    with pytest.raises(BadInput, match="rows 1 to 2"):
        read(path, "parquet")
    src = pa.StringArray.from_buffers(2, *table["src"].chunk(0).buffers()[1:])
    pq.write_table(pa.table({"src": src, "dst": ["x", "y"]}), path)
    with pytest.raises(BadInput, match="row group 1"):
        read(path, "parquet")
