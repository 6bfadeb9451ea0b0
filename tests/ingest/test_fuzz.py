"""Valid files with random damage are read correctly, have rejects, or are refused as bad input.

By default, 24 files of each format are tried, and `make test-long` ingests some files. A failure
reports the seed and the number of the file. The following command tries 10,000 files of each
format. With the option `-m ""`, it also runs 1,666 ingests:

    PROVHOUSE_FUZZ=10000 PROVHOUSE_FUZZ_SEED=1 pytest tests/ingest/test_fuzz.py

The expected content comes from Python's own readers of CSV and JSON. For Parquet, which has no
second reader, it comes from Arrow's reader of complete files.
"""

import csv
import gzip
import io
import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from helpers.fuzzed import fuzzed
from helpers.harmed import harmed
from helpers.warehouse import House
from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.known_formats import check
from provhouse.ingest.formats.source import Source
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.read_stage import StageFile
from provhouse.model.errors import BadInput
from provhouse.runtime.storage import read_stream
from provhouse.store.warehouse.commits import current

FILES = int(os.environ.get("PROVHOUSE_FUZZ", "24"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
LONGEST = 20.0
"""The limit, in seconds, of the processor time for one file. Most files take milliseconds."""
NAMES = ("a", "b/1", "", "ä😀", 'q"x', "c,d", "e\nf", "\r", "7", " ", "x" * 90, "\\", "null", "\t")

Rows = list[dict[str, str | None]]
Named = Counter[tuple[str, str]]
"""The number of rows with each pair of src and dst."""


@dataclass(frozen=True)
class Right:
    """The content of a file, found by an independent reader."""

    rows: int
    triples: Named


def rows(chance: random.Random) -> Rows:
    columns = ["src", "dst", *chance.sample(["op", "src_table", "dst_table", "v", "w é"], 3)]
    return [
        {c: chance.choice(NAMES) if chance.random() < 0.9 else None for c in columns}
        for _ in range(chance.randint(0, 30))
    ] + [dict.fromkeys(columns, "z")]


def of_csv(chance: random.Random) -> bytes:
    made = rows(chance)
    text = io.StringIO(newline="")
    if chance.random() < 0.5:
        writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    else:
        writer = csv.writer(text)
    writer.writerow(made[0])
    writer.writerows([value or "" for value in row.values()] for row in made)
    return text.getvalue().encode()


def of_json(chance: random.Random) -> bytes:
    values = (1.5, 10**30, True, [1, {"a": None}], -0.0)
    made: list[dict[str, object]] = [
        {**row, **({"n": chance.choice(values)} if chance.random() < 0.3 else {})}
        for row in rows(chance)
    ]
    ascii_only = chance.random() < 0.5
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in made).encode()


def of_parquet(chance: random.Random) -> bytes:
    table = pa.Table.from_pylist(rows(chance))
    table = table.append_column("n", pa.array(range(table.num_rows), pa.int64()))
    table = table.append_column("t", pa.array(range(table.num_rows), pa.timestamp("ms", "UTC")))
    if chance.random() < 0.3:
        table = table.set_column(0, "src", table["src"].cast(pa.string()).dictionary_encode())
    out = io.BytesIO()
    pq.write_table(
        table,
        out,
        row_group_size=chance.choice((3, 1000)),
        compression=chance.choice(("none", "snappy", "zstd")),
        use_dictionary=chance.random() < 0.5,
        data_page_version=chance.choice(("1.0", "2.0")),
        write_page_checksum=chance.random() < 0.5,
    )
    return out.getvalue()


def plain(content: bytes) -> bytes:
    return content


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


def unzstd(content: bytes) -> bytes:
    return bytes(pa.CompressedInputStream(pa.BufferReader(content), "zstd").read())


def read_csv(content: bytes) -> Right | None:
    """Return the rows that Python's CSV reader finds, even with too few or too many cells.

    Return None if a header repeats a name, or if a row with too few or too many cells contains a
    line break or an open quote.
    """
    lines = io.StringIO(content.decode("utf-8-sig"), newline="").readlines()
    reader = csv.reader(lines, strict=True)
    header, begin = next(reader), reader.line_num
    table, ragged = [], 0
    for row in reader:
        raw = "".join(lines[begin : reader.line_num]).rstrip("\r\n")
        begin = reader.line_num
        if not row or len(row) == len(header):
            table += [row] if row else []
            continue
        if set("\r\n") & set(raw) or raw.count('"') % 2:
            return None
        ragged += 1
    if len(set(header)) < len(header):
        return None
    src, dst = header.index("src"), header.index("dst")
    right = _right([row[src] for row in table], [row[dst] for row in table])
    return Right(right.rows + ragged, right.triples)


def read_json(content: bytes) -> Right | None:
    lines = [line for line in content.decode("utf-8-sig").split("\n") if line.strip()]
    found = [json.loads(line, object_pairs_hook=_pairs) for line in lines]
    json.dumps(found, ensure_ascii=False).encode()
    ends = [(row.get("src"), row.get("dst")) for row in found]
    if any(isinstance(end, dict | list) for pair in ends for end in pair):
        return None
    if found and not all(any(end in row for row in found) for end in ("src", "dst")):
        return None
    return _right([_named(src) for src, _ in ends], [_named(dst) for _, dst in ends])


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    assert len(made) == len(pairs), "a key stands twice"
    return made


def _named(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None or value != value else str(value)


def read_parquet(content: bytes) -> Right | None:
    table = pq.read_table(io.BytesIO(content), page_checksum_verification=True)
    table.validate(full=True)
    return _right(*(table[end].cast(pa.string()).to_pylist() for end in ("src", "dst")))


def _right(src: Sequence[str | None], dst: Sequence[str | None]) -> Right:
    named = Counter((s, d) for s, d in zip(src, dst, strict=True) if s and d)
    return Right(len(src), named)


@dataclass(frozen=True)
class Kind:
    """A format, and an independent reader of this format."""

    ending: str
    make: Callable[[random.Random], bytes]
    read: Callable[[bytes], Right | None]
    pack: Callable[[bytes], bytes] = plain
    unpack: Callable[[bytes], bytes] = plain


KINDS = (
    Kind("csv", of_csv, read_csv),
    Kind("csv.gz", of_csv, read_csv, gzip.compress, gzip.decompress),
    Kind("csv.zst", of_csv, read_csv, zstd, unzstd),
    Kind("jsonl", of_json, read_json),
    Kind("jsonl.gz", of_json, read_json, gzip.compress, gzip.decompress),
    Kind("jsonl.zst", of_json, read_json, zstd, unzstd),
    Kind("parquet", of_parquet, read_parquet),
)


def outcome(source: Source, folder: Path) -> Right | None:
    """Return the content that provhouse reads from a file, or None if it is refused as invalid."""
    staging = Staging(folder)
    try:
        check(source)
        done = StageFile(0, source, staging.create(), 1, 0, 1, "unique").run()
    except BadInput as error:
        _check_error(error, source.path)
        return None
    names = read_stream(staging.names(0, 0))
    spelt = dict(zip(names["hash"].to_pylist(), names["name"].to_pylist(), strict=True))
    ends = read_stream(staging.rows(0)).select(["src", "dst"]).to_pylist()
    assert len(ends) == done.valid
    if done.rejected:
        assert pq.read_table(staging.rejects.folder).num_rows == done.rejected
    reported = Counter((spelt[row["src"]], spelt[row["dst"]]) for row in ends)
    return Right(done.valid + done.rejected, reported)


def _check_error(error: BadInput, path: str) -> None:
    assert path in error.wanted, error
    assert error.found, error


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.ending)
def test_damaged_files_are_read_correctly_or_refused(kind: Kind, tmp_path: Path) -> None:
    with fuzzed(f"reader of .{kind.ending}") as ends:
        for number in range(FILES):
            ends[_damaged(kind, number, tmp_path)] += 1
    assert min(ends["read"], ends["refused"]) > FILES // 20


def _damaged(kind: Kind, number: int, folder: Path) -> str:
    """Make and read the damaged file number ``number``; return whether it was read or refused."""
    chance = random.Random(f"{SEED} {kind.ending} {number}")
    content = kind.make(chance)
    # whether to damage the packed file, or the content before it is packed
    whole = chance.random() < 0.5
    packed = harmed(kind.pack(content), chance) if whole else kind.pack(harmed(content, chance))
    path = folder / f"{number}.{kind.ending}"
    path.write_bytes(packed)
    reported = f"seed {SEED}, file {number}: {path}"
    began = time.process_time()
    try:
        found = outcome(Source(str(path), kind.ending.split(".")[0]), folder / str(number))
    except Exception as error:
        raise AssertionError(reported) from error
    assert time.process_time() - began < LONGEST, reported
    other = right(kind, packed)
    assert other or packed != kind.pack(content), reported
    if other and (found or not whole):  # one unpacker may be stricter than the other
        assert found == other, reported
    path.unlink()
    shutil.rmtree(folder / str(number), ignore_errors=True)
    return "read" if found else "refused"


@pytest.mark.long
def test_an_ingest_of_a_damaged_file_stores_all_of_it_or_nothing(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    """A refused file changes nothing. Of every other file, all names are stored."""
    house = houses(theta=3, pack=0)
    held: set[str] = set()
    ends: Counter[str] = Counter()
    for number in range(max(FILES // 6, 10)):
        kind = KINDS[number % len(KINDS)]
        chance = random.Random(f"{SEED} ingest {number}")
        path = tmp_path / f"{number}.{kind.ending}"
        path.write_bytes(harmed(kind.pack(kind.make(chance)), chance))
        source = Source(str(path), kind.ending.split(".")[0])
        found, before = outcome(source, tmp_path / str(number)), current(house.layout)
        try:
            summary = house.ingest_files(path)
        except BadInput as error:
            _check_error(error, str(path))
            assert found is None, path
            assert current(house.layout) == before
            ends["refused"] += 1
            continue
        assert found, path
        held.update(name for pair in found.triples for name in pair)
        assert summary.rejected == found.rows - found.triples.total()
        assert summary.items == len(held)
        ends["read"] += 1
    assert min(ends["read"], ends["refused"]) > FILES // 60
    print(dict(ends))


def right(kind: Kind, packed: bytes) -> Right | None:
    """Return the content that the independent reader finds, or None if this reader fails."""
    try:
        return kind.read(kind.unpack(packed))
    except Exception:
        return None


def test_damaged_delta_logs_are_refused_or_read(tmp_path: Path) -> None:
    with fuzzed("logs of Delta tables") as ends:
        for number in range(FILES // 3):
            folder = tmp_path / str(number)
            ends[_damaged_log(number, folder)] += 1
            shutil.rmtree(folder)
    assert min(ends["read"], ends["refused"]) > 0


def _damaged_log(number: int, folder: Path) -> str:
    """Make and read the damaged table number ``number``; return whether it was read or refused."""
    chance = random.Random(f"{SEED} delta {number}")
    write_deltalake(folder, pa.Table.from_pylist(rows(chance)), partition_by=["src"])
    log = folder / "_delta_log" / f"{0:020}.json"
    log.write_bytes(harmed(log.read_bytes(), chance))
    try:
        found = sources([folder], None)
    except BadInput as error:
        _check_error(error, str(folder))
        return "refused"
    except Exception as error:
        raise AssertionError(f"seed {SEED}, table {number}: {folder}") from error
    for source in found:
        outcome(source, folder / "staging")
    return "read"
