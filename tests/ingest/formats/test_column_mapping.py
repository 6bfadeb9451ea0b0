"""Input columns can be mapped to known columns, and item names may be unique only within a run."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats import json_lines as jsonl
from provhouse.ingest.formats.column_mapping import (
    AS_NAMED,
    ColumnNames,
    columns_of,
    mapped_columns,
)
from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput, UsageError

FORMS = ("csv", "jsonl", "parquet")
Rows = list[dict[str, object]]


def written(folder: Path, form: str, rows: Rows, columns: ColumnNames) -> Source:
    path = folder / f"t.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "csv":
        pa_csv.write_csv(pa.Table.from_pylist(rows), path)
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return Source(str(path), form, columns)


def read(source: Source) -> list[tuple[dict[str, object], object, str | None]]:
    """Return, for each row, the known columns that have a value, the attributes, and the scope."""
    check(source)
    return [
        ({k: v for k, v in row.items() if v is not None}, json.loads(text or "{}"), scope)
        for batch in batches(source)
        for row, text, scope in zip(
            batch.rows.to_pylist(),
            batch.attributes.to_pylist(),
            batch.scope.to_pylist() if batch.scope else [None] * batch.rows.num_rows,
            strict=True,
        )
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("maps", "given", "known", "attributes"),
    [
        (["src=from", "dst=to,op=a b"], {"from": "x", "to": "y", "a b": "o", "v": "1"},
         {"src": "x", "dst": "y", "op": "o"}, {"v": "1"}),
        (["src=dst,dst=src"], {"src": "x", "dst": "y"}, {"src": "y", "dst": "x"}, {}),
        (["src_table=t,dst_table=t"], {"src": "x", "dst": "y", "t": "T"},
         {"src": "x", "dst": "y", "src_table": "T", "dst_table": "T"}, {}),
        (["src=last, first"], {"last, first": "x", "dst": "y"}, {"src": "x", "dst": "y"}, {}),
        (["src=a=b"], {"a=b": "x", "dst": "y"}, {"src": "x", "dst": "y"}, {}),
        (["op=src_table"], {"src": "x", "dst": "y", "src_table": "T"},
         {"src": "x", "dst": "y", "op": "T"}, {}),
        (["src=src"], {"src": "x", "dst": "y"}, {"src": "x", "dst": "y"}, {}),
    ],
)  # fmt: skip
def test_a_column_can_be_mapped_to_a_known_name(
    tmp_path: Path, form: str, maps: Sequence[str], given: dict[str, object],
    known: dict[str, str], attributes: dict[str, str],
) -> None:  # fmt: skip
    source = written(tmp_path, form, [given], columns_of(maps, None))
    assert read(source) == [(known, attributes, None)]


@pytest.mark.parametrize(
    "maps", [["from=x"], ["src"], ["src="], ["=x"], ["src=a,src=b"], ["src=a", "src=a"], [""]]
)
def test_an_invalid_map_is_a_usage_error(maps: Sequence[str]) -> None:
    with pytest.raises(UsageError, match="--map"):
        columns_of(maps, None)


@pytest.mark.parametrize(("maps", "scope"), [([], "src"), (["op=run"], "run")])
def test_a_scope_must_be_an_attribute(maps: Sequence[str], scope: str) -> None:
    with pytest.raises(UsageError, match="--scope"):
        columns_of(maps, scope)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("maps", "scope", "reported"),
    [
        (["op=what"], None, "no column what, which --map reads as op"),
        ([], "run", "no column run, which --scope names"),
        (["src=from"], None, "the column src has no known meaning"),
        (["op=src", "src=from"], None, "no column from"),
        (["dst_table=src"], None, "no column src"),
    ],
)
def test_a_missing_or_ambiguous_column_is_named(
    tmp_path: Path, form: str, maps: Sequence[str], scope: str | None, reported: str
) -> None:
    rows: Rows = [{"src": "a", "dst": "b", "to": "c"}]
    if "meaning" in reported:
        rows[0]["from"] = "d"
    source = written(tmp_path, form, rows, columns_of(maps, scope))
    for use in (check, read):
        with pytest.raises(BadInput, match=reported) as caught:
            use(source)
        assert str(source.path) in caught.value.wanted


def test_a_later_ambiguous_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 40)
    rows: Rows = [{"from": "a", "dst": "b"} for _ in range(3)]
    rows.append({"from": "a", "dst": "b", "src": "c"})
    source = written(tmp_path, "jsonl", rows, columns_of(["src=from"], None))
    with pytest.raises(BadInput, match="line 4: the column src has no known meaning"):
        read(source)


@pytest.mark.parametrize("form", FORMS)
def test_a_scope_stays_an_attribute(tmp_path: Path, form: str) -> None:
    rows: Rows = [
        {"src": "a", "dst": "b", "run": 7, "v": "x"},
        {"src": "a", "dst": "b", "run": None, "v": "y"},
    ]
    assert read(written(tmp_path, form, rows, columns_of([], "run"))) == [
        ({"src": "a", "dst": "b"}, {"run": "7", "v": "x"}, "7"),
        ({"src": "a", "dst": "b"}, {"v": "y"}, None),
    ]


def test_without_options_columns_are_read_by_name() -> None:
    assert columns_of([], None) == AS_NAMED


def meanings(form: ColumnNames, *present: str) -> dict[str, tuple[str, ...]]:
    return {column: form.of(present).meaning(column) for column in present}


def test_derivations_are_read_by_meaning_only_beside_a_mark() -> None:
    attribute = ("attribute",)
    plain = meanings(AS_NAMED, "src", "dst", "value", "times")
    assert plain == {"src": ("src",), "dst": ("dst",), "value": attribute, "times": attribute}
    for mark in ("derivation", "op_kind"):
        found = meanings(AS_NAMED, "src", "dst", "value", "role", mark)
        assert (found["value"], found["role"], found[mark]) == (("value",), ("role",), (mark,))
    mapped = columns_of(["value=amount"], None)
    assert meanings(mapped, "amount", "times") == {"amount": ("value",), "times": attribute}
    marked = columns_of(["derivation=way"], None)
    assert meanings(marked, "way", "times") == {"way": ("derivation",), "times": ("times",)}
    taken = columns_of(["value=derivation"], None)
    assert meanings(taken, "derivation", "times") == {"derivation": ("value",), "times": attribute}


@pytest.mark.parametrize("form", FORMS)
def test_every_format_reads_derivations(tmp_path: Path, form: str) -> None:
    rows: Rows = [
        {"src": "a", "dst": "b", "op_kind": "all", "value": 1.5, "times": 2, "v": "x"},
        {"src": "a", "dst": "b", "op_kind": None, "value": None, "times": None, "v": "y"},
    ]
    assert read(written(tmp_path, form, rows, AS_NAMED)) == [
        (
            {"src": "a", "dst": "b", "op_kind": "all", "value": "1.5", "times": "2"},
            {"v": "x"},
            None,
        ),
        ({"src": "a", "dst": "b"}, {"v": "y"}, None),
    ]


def test_json_lines_may_not_bring_their_first_derivation_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 40)
    rows: Rows = [{"src": "a", "dst": "b", "value": 1} for _ in range(3)]
    rows.append({"src": "a", "dst": "b", "value": 1, "op_kind": "all"})
    with pytest.raises(BadInput, match="line 4: derivations occur only late") as caught:
        read(written(tmp_path, "jsonl", rows, AS_NAMED))
    assert "Add these keys to the first line" in caught.value.remedy


TABLES = {"src_table": "customers", "dst_table": "orders", "op": "place"}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_with_a_foreign_key_is_a_trace(tmp_path: Path, form: str) -> None:
    rows: Rows = [
        {"order_id": 1, "customer_id": 7, "paid": "yes"},
        {"order_id": 2, "customer_id": None, "paid": None},
    ]
    columns = mapped_columns({"src_id": "customer_id", "dst_id": "order_id"}, None, (), TABLES)
    first, second = read(written(tmp_path, form, rows, columns))
    assert {name: str(value) for name, value in first[0].items()} == {
        "src_id": "7", "dst_id": "1", **TABLES,
    }  # fmt: skip
    assert first[1] == {"paid": "yes"}
    assert "src_id" not in second[0]
    assert second[0]["dst_table"] == "orders"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["src_table", "dst_table", "op"])
def test_a_constant_and_a_column_of_its_name_are_refused(
    tmp_path: Path, form: str, name: str
) -> None:
    rows: Rows = [{"src": "a", "dst": "b", name: "c"}]
    columns = mapped_columns({}, None, (), {name: "t"})
    option = f"--{name.replace('_', '-')} sets {name} in every row"
    for use in (check, read):
        with pytest.raises(BadInput, match=f"the column {name} has no known meaning\n") as caught:
            use(written(tmp_path, form, rows, columns))
        assert option in str(caught.value)
        assert str(tmp_path) in caught.value.wanted


@pytest.mark.parametrize(
    ("constants", "found"),
    [
        ({"src": "a"}, "The names with a constant are src_table, dst_table, op"),
        ({"op": ""}, "It is empty"),
        ({"op": "\udc80"}, "'\\\\udc80'"),
        ({"src_table": "t"}, "--map reads the column x as src_table"),
    ],
)
def test_an_impossible_constant_is_a_usage_error(constants: dict[str, str], found: str) -> None:
    with pytest.raises(UsageError, match=found):
        mapped_columns({"src_table": "x"}, None, (), constants)
