"""JSON lines give the same rows as CSV and Parquet, and errors state the line number."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.ingest.formats import json_lines as jsonl
from provhouse.ingest.formats import limits
from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.attributes import as_object, canonical
from provhouse.model.errors import BadInput

ROW = b'{"src":"a","dst":"b"}\n'


def written(folder: Path, content: bytes, name: str = "t.jsonl") -> Source:
    path = folder / name
    packed = {".gz": gzip.compress, ".zst": lambda b: pa.compress(b, "zstd", asbytes=True)}
    path.write_bytes(packed.get(path.suffix, bytes)(content))
    return Source(str(path), "jsonl")


def read(source: Source) -> list[tuple[dict[str, object], str]]:
    return [
        (row, attributes)
        for batch in batches(source)
        for row, attributes in zip(
            batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True
        )
    ]


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson.gz", "t.JSONL.zst"])
def test_rows_and_attributes_are_read_in_any_compression(tmp_path: Path, name: str) -> None:
    lines = (
        '\ufeff{"src":"a\\nb","dst":"ä😀","op":"","src_table":"T","v":1.5}\r\n'
        "\n"
        '{"dst":7,"src":null,"later":[1,{"b":null,"a":true}],"v":null}\n'
        '{"src":2.5,"dst":true,"v":"text","big":123456789012345678901234567890}'
    )
    rows = read(written(tmp_path, lines.encode(), name))
    nothing = {"src": None, "dst": None, "op": None, "src_table": None, "dst_table": None}
    assert rows == [
        (
            {**nothing, "src": "a\nb", "dst": "ä😀", "op": "", "src_table": "T"},
            '{"v":"1.5"}',
        ),
        (
            {**nothing, "dst": "7"},
            '{"later":"[1, {\\"a\\": true, \\"b\\": null}]"}',
        ),
        (
            {**nothing, "src": "2.5", "dst": "true"},
            '{"big":"123456789012345678901234567890","v":"text"}',
        ),
    ]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"no json", 1),
        (ROW + b"{\n", 2),
        (ROW + b"\n[1]\n", 3),
        (ROW + b"null\n", 2),
        (ROW + ROW[:-1] + b",\n", 2),
        (ROW + b'{"src":"a","dst":"\xff"}\n', 2),
        (ROW + b'{"src":"a","dst":"\\ud800"}\n', 2),
        (ROW + b'{"src":"a","dst":"b","v":"\\udc00"}\n', 2),
        (ROW + b'{"src":{"a":1},"dst":"b"}\n', 2),
        (ROW + b'{"src":"a","dst":"b","src":"c"}\n', 2),
        (ROW + b'{"src":"a","dst":"b","v":' + b"9" * 5_000 + b"}\n", 2),
        (ROW + b'{"src":"a","dst":"b","v":' + b"[" * 100_000 + b"\n", 2),
        (b'{"src":"a","dst":"b","v":' + b"[" * 3_000 + b"]" * 3_000 + b"}\n", 1),
        (ROW + b"\x00\n", 2),
    ],
)
@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_a_broken_line_is_named(tmp_path: Path, content: bytes, line: int, name: str) -> None:
    source = written(tmp_path, content, name)
    with pytest.raises(BadInput) as caught:
        read(source)
    assert f"{source.path}, line {line}:" in caught.value.wanted
    assert caught.value.found


@pytest.mark.parametrize("number", ["1e400", "-1e400", "Infinity", "-Infinity", "1" * 400 + ".5"])
@pytest.mark.parametrize("shape", ['"src":@', '"dst":@', '"v":@', '"v":[{"k":@}]', '"src_table":@'])
def test_a_number_that_is_not_finite_rejects_its_row(
    tmp_path: Path, number: str, shape: str
) -> None:
    bad = {**dict.fromkeys(("src", "dst"), '"x"'), shape.split('"')[1]: shape.partition(":")[2]}
    line = ",".join(f'"{key}":{value}' for key, value in bad.items()).replace("@", number)
    source = written(tmp_path, ROW + b"\n{" + line.encode() + b"}\n" + ROW)
    check(source)
    [batch] = batches(source)
    assert batch.rows["src"].to_pylist() == ["a", "a"]
    assert batch.numbers_at(np.arange(2)).tolist() == [1, 3]
    assert batch.rejected is not None
    [row] = batch.rejected.to_pylist()
    assert (row["row"], row["reason"]) == (2, f"the number {number} is not finite in double "
                                              "precision")  # fmt: skip
    assert number in row["content"]
    json.loads(row["content"])


def test_a_rejected_row_has_texts_by_which_erasures_find_it(tmp_path: Path) -> None:
    line = b'{"from":7,"dst":2.0,"op":null,"v":[1e400,"Jane"],"scope":"s"}\n'
    source = written(tmp_path, line)
    source = replace(source, columns=columns_of(["src=from"], None))
    [batch] = batches(source)
    assert batch.rejected is not None
    assert json.loads(batch.rejected["content"][0].as_py()) == {
        "src": "7", "dst": "2", "op": None, "v": '["1e400", "Jane"]', "scope": "s",
    }  # fmt: skip


def test_a_file_may_have_no_other_rows(tmp_path: Path) -> None:
    source = written(tmp_path, b'{"src":1e400,"dst":"b"}\n')
    check(source)
    [batch] = batches(source)
    assert (batch.rows.num_rows, len(batch.rejected or ())) == (0, 1)


def test_the_largest_numbers_and_nan_are_read(tmp_path: Path) -> None:
    line = b'{"src":1.7976931348623157e308,"dst":"b","v":1e-400,"w":-0.5e1,"x":NaN}\n'
    [(row, attributes)] = read(written(tmp_path, line))
    assert row["src"] == "1.7976931348623157e+308"
    assert attributes == '{"v":"0.0","w":"-5.0","x":"nan"}'


@pytest.mark.parametrize("content", [b'{"src":"a"}\n', b'{"from":"a","to":"b"}\n' * 3, b"{}"])
def test_objects_without_src_and_dst_are_refused(tmp_path: Path, content: bytes) -> None:
    source = written(tmp_path, content)
    for use in (check, read):
        with pytest.raises(BadInput, match="no column"):
            use(source)


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    content = b"".join(f'{{"src":"{n * 7919}","dst":"{n}"}}\n'.encode() for n in range(9_000))
    source = written(tmp_path, content, "t.jsonl.zst")
    assert len(read(source)) == 9_000
    Path(source.path).write_bytes(Path(source.path).read_bytes()[:-100])
    with pytest.raises(BadInput, match=r"t\.jsonl\.zst, line"):
        read(source)


def test_keys_may_first_appear_in_a_later_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 64)
    source = written(tmp_path, ROW * 20 + b'{"src":"a","dst":"b","late":1}\n' + ROW * 3)
    found = list(batches(source))
    assert len(found) > 5
    assert [b.first_row for b in found] == [
        1 + sum(b.rows.num_rows for b in found[:n]) for n in range(len(found))
    ]
    assert [text for _, text in read(source)] == [""] * 20 + ['{"late":"1"}'] + [""] * 3


def test_a_row_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 64)
    monkeypatch.setattr(limits, "BLOCK", 500)
    source = written(tmp_path, ROW * 9 + b'{"src":"' + b"x" * 2_000 + b'","dst":"b"}\n')
    with pytest.raises(BadInput, match=r"line 10: .*\n.*500 bytes"):
        read(source)


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    source = written(tmp_path, b'{"v":1}\n{"src":"a","dst":"b"}')
    check(source)
    assert [row["src"] for row, _ in read(source)] == [None, "a"]


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    assert read(written(tmp_path, b"")) == []
    assert read(written(tmp_path, b"\n \n")) == []


SCALARS = (
    st.text(st.characters(codec="utf-8"))
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
)  # fmt: skip
COLUMNS = st.sampled_from([st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans(),
                           st.floats(allow_nan=False, allow_infinity=False)])  # fmt: skip


@given(st.dictionaries(st.text(), SCALARS | st.none() | st.lists(SCALARS, max_size=3)))
def test_an_object_gives_the_same_attributes_as_columns(row: dict[str, object]) -> None:
    again = json.loads(json.dumps(row))
    columns = pa.table({name: pa.array([_uniform(value)]) for name, value in row.items()})
    expected = canonical(columns).to_pylist() if row else [""]
    assert [as_object({k: _uniform(v) for k, v in again.items()})] == expected


def _uniform(value: object) -> object:
    """Return the elements of a list as strings, because a Parquet list has one type.

    Return any other value unchanged.
    """
    return [str(part) for part in value] if isinstance(value, list) else value


def test_json_and_parquet_agree(tmp_path: Path) -> None:
    rows = [
        {"src": 1, "dst": 2.0, "n": 2**63 - 1, "f": 0.1, "b": True, "t": "x", "s": {"k": [1, 2]}},
        {"src": 3, "dst": 1e20, "n": -0, "f": 5.0, "b": False, "t": "", "s": {"k": []}},
    ]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    known = dict.fromkeys(("op", "src_table", "dst_table"))
    parquet = [
        ({**row, **known}, text) for row, text in read(Source(str(path), "parquet"))
    ]  # fmt: skip
    assert read(written(tmp_path, lines.encode())) == parquet
