"""Small files that decompress to far too much are refused, as are files in the warehouse."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats import limits
from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.settings import Settings

LINE = b"a,b,c\n"
FLOOR = 1 << 20


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_BYTES", FLOOR)


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


TEXTS = {
    "lines": b"src,dst,op\n" + LINE * (8 * FLOOR // len(LINE)),
    "no lines": b"src,dst,op\n" + bytes(8 * FLOOR),
    "empty lines": b"src,dst,op\na,b,c\n" + b"\n" * (8 * FLOOR),
    "a quote": b'src,dst,op\na,b,"' + b"\n" * (8 * FLOOR),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstd)])
def test_a_csv_bomb_is_refused(
    tmp_path: Path, text: str, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / f"bomb.csv.{ending}"
    file.write_bytes(pack(TEXTS[text]))
    assert file.stat().st_size * limits.UNPACKED_TIMES < 8 * FLOOR
    with pytest.raises(BadInput, match=r"bomb\.csv"):
        read(Source(str(file), "csv"))


@pytest.mark.parametrize("line", [b'{"src":"a","dst":"b"}\n', b"\n", b" "])
def test_a_json_bomb_is_refused(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    file.write_bytes(gzip.compress(line * (8 * FLOOR // len(line))))
    with pytest.raises(BadInput, match=r"bomb\.jsonl"):
        read(Source(str(file), "jsonl"))


def test_a_parquet_bomb_of_one_repeated_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.parquet"
    name = pa.array(["x" * 10_000] * (FLOOR // 500))
    pq.write_table(pa.table({"src": name, "dst": name}), file)
    assert file.stat().st_size * limits.PARQUET_TIMES < 20 * FLOOR
    with pytest.raises(BadInput, match=r"bomb\.parquet"):
        read(Source(str(file), "parquet"))


def test_a_file_that_compresses_well_is_read(tmp_path: Path) -> None:
    """A file with a compression ratio of thirty is read, because such a ratio is not unusual."""
    file = tmp_path / "well.csv.gz"
    lines = (f"clean/{n},report/{n},nightly aggregation of sales\n" for n in range(60_000))
    content = ("src,dst,op\n" + "".join(lines)).encode()
    assert len(content) > FLOOR
    file.write_bytes(gzip.compress(content))
    assert read(Source(str(file), "csv")) == 60_000


def read(source: Source) -> int:
    check(source)
    return sum(batch.rows.num_rows for batch in batches(source))


def test_paths_into_the_warehouse_are_refused(tmp_path: Path) -> None:
    """The refused path may be a file, a folder, a pattern or a link, and may contain dots."""
    settings = Settings(warehouse=tmp_path / "w", neo4j_home=tmp_path / "neo4j")
    inside = tmp_path / "w" / "base-1" / "triples"
    inside.mkdir(parents=True)
    (tmp_path / "neo4j").mkdir()
    for file in (inside / "a.csv", tmp_path / "neo4j" / "a.csv", tmp_path / "own.csv"):
        file.write_bytes(b"src,dst\na,b\n")
    links = tmp_path / "links"
    links.mkdir()
    (links / "file.csv").symlink_to(inside / "a.csv")
    (tmp_path / "folder").symlink_to(inside)
    (tmp_path / "chain").symlink_to(tmp_path / "folder")
    ways = (
        inside / "a.csv", tmp_path / "w", tmp_path, tmp_path / "w" / "*" / "*" / "*.csv", links,
        tmp_path / "folder", tmp_path / "chain", tmp_path / "links" / ".." / "w" / "base-1",
        tmp_path / "neo4j", Path(os.path.relpath(inside / "a.csv")), tmp_path / "**" / "*.csv",
    )  # fmt: skip
    for way in ways:
        with pytest.raises(UsageError, match="outside of the warehouse"):
            sources([way], None, own=settings.own_folders)
    assert len(sources([tmp_path / "own.csv"], None, own=settings.own_folders)) == 1
