"""Ragged CSV rows are rejected. If a file has another format, the error names that format."""

import bz2
import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from provhouse.ingest.formats import limits
from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Batch
from provhouse.model.errors import BadInput


def read(path: Path) -> Iterator[Batch]:
    (source,) = sources([path], None)
    return batches(source)


def rows(path: Path) -> list[tuple[int, str]]:
    """Return the row number and the src of each row."""
    found: list[tuple[int, str]] = []
    for batch in read(path):
        numbers = batch.numbers_at(np.arange(batch.rows.num_rows))
        found += zip(map(int, numbers), batch.rows["src"].to_pylist(), strict=True)
    return found


def test_ragged_rows_are_set_aside_with_number_reason_and_content(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('src,dst,op\na,b,x\n\nc,"d,\u00e9"\n"y\nz",b,x\n\ne,f,g,h\ni,j,k\n')
    found = list(read(path))
    rejected = [row for b in found if b.rejected for row in b.rejected.to_pylist()]
    assert rejected == [
        {"row": 2, "reason": "2 values, the header has 3", "content": '["c", "d,\u00e9"]'},
        {"row": 4, "reason": "4 values, the header has 3", "content": '["e", "f", "g", "h"]'},
    ]
    assert rows(path) == [(1, "a"), (3, "y\nz"), (5, "i")]


def test_ragged_rows_keep_the_numbers_of_others_right_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BLOCK", 64)
    monkeypatch.setattr(limits, "ROWS", 3)
    path = tmp_path / "t.csv"
    wanted = [(n, f"s{n}") for n in range(1, 300) if n % 7 and not 100 < n < 150]
    good = dict(wanted)
    path.write_text("src,dst\n" + "".join(f"{good.get(n, 'r')}{',d' * (n in good)}\n"
                                          for n in range(1, 300)))  # fmt: skip
    assert rows(path) == wanted
    rejected = [row for b in read(path) if b.rejected for row in b.rejected["row"].to_pylist()]
    assert rejected == [n for n in range(1, 300) if n not in good]


@pytest.mark.parametrize("good", ["", "a,b\n"])
def test_ragged_rows_at_the_end_are_not_lost(tmp_path: Path, good: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"src,dst\n{good}c\nd\n")
    assert sum(b.rejected.num_rows for b in read(path) if b.rejected) == 2
    assert len(rows(path)) == len(good) // 4


def test_a_ragged_row_that_contains_line_breaks_refuses_the_file(tmp_path: Path) -> None:
    """After an unclosed quote, text that looks like one ragged row may consist of many rows."""
    path = tmp_path / "t.csv"
    path.write_text('src,dst\na,b\nc,d,"e\nf,g\nh,i"\n')
    with pytest.raises(BadInput, match=r"t\.csv, line 3: not readable as CSV"):
        list(read(path))


def test_a_ragged_row_that_is_not_utf8_refuses_the_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"src,dst\na,b\nc,d,\xff\n")
    with pytest.raises(BadInput, match=r"t\.csv, line 3: not readable as CSV"):
        list(read(path))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "csv.bz2"])
def test_tabs_and_bzip2_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    text = b"src,dst\na,b c\n"
    text = text.replace(b",", b"\t") if "tsv" in ending else text
    text = gzip.compress(text) if "gz" in ending else text
    path.write_bytes(bz2.compress(text) if "bz2" in ending else text)
    assert rows(path) == [(1, "a")]


@pytest.mark.parametrize(
    ("name", "content", "found", "remedy"),
    [
        ("t.csv", b"", "It is empty", "choose another file"),
        ("t.csv", b"\n\nsrc,dst\na,b\n", "The line is blank", "Remove the blank lines"),
        ("t.csv", b"  \nsrc,dst\n", "The line is blank", "Remove the blank lines"),
        ("t.csv.gz", b"src,dst\n", "It is not compressed as .gz", "repair the file"),
        ("t.parquet", b"src,dst\n", "It does not end as a Parquet file does", "repair the file"),
        ("t.jsonl", b"src,dst\n", "It is not a JSON object", "repair the file"),
        ("t.csv", b"src;dst;op\na;b;c\n", "separated by semicolons", "with commas"),
        ("t.csv", b"src|dst\na|b\n", "separated by vertical bars", "with commas"),
        ("t.csv", b"src\tdst\na\tb\n", "separated by tabs", "--input tsv"),
        ("t.tsv", b"src,dst\na,b\n", "separated by commas", "--input csv"),
        ("t.csv", "src,dst\na,b\n".encode("utf-16"), "mark of UTF-16", "iconv -f UTF-16"),
        ("t.jsonl", '{"src":1}'.encode("utf-16"), "mark of UTF-16", "iconv -f UTF-16"),
    ],
)
def test_an_unusable_beginning_is_named(
    tmp_path: Path, name: str, content: bytes, found: str, remedy: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    (source,) = sources([path], None)
    with pytest.raises(BadInput) as caught:
        check(source)
    assert found in f"{caught.value.wanted}. {caught.value.found}"
    assert remedy in caught.value.remedy
