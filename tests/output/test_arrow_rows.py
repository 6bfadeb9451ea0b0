"""Rows encoded column by column equal the rows that the JSON library encodes one by one."""

import json
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from provhouse.output.arrow_rows import ROWS, json_items, json_triples
from provhouse.output.shown_result import JsonRows

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
MAPS = st.dictionaries(TEXT, TEXT, max_size=2)


def read(written: JsonRows) -> list[Any]:
    """Parse rows from JSON text; fail unless the fields of all rows are in the same order."""
    rows = list(json.loads(f"[{','.join(written.pieces(','))}]"))
    assert all(list(row) == list(rows[0]) for row in rows)
    return rows


def coded(table: pa.Table, *columns: str) -> pa.Table:
    """Return the table with some columns dictionary-encoded, as in answers."""
    for at, name in ((table.column_names.index(name), name) for name in columns):
        table = table.set_column(at, name, table[name].dictionary_encode())
    return table


@given(st.lists(st.tuples(TEXT, TEXT, st.integers(0, 2**31 - 1)), max_size=5))
def test_items_are_encoded_exactly(rows: list[tuple[str, str, int]]) -> None:
    given = [dict(zip(("item", "table", "depth"), row, strict=True)) for row in rows]
    schema = pa.schema([("item", pa.string()), ("table", pa.string()), ("depth", pa.int32())])
    table = pa.Table.from_pylist(given, schema)
    assert read(json_items(table)) == given
    assert read(json_items(coded(table, "item", "table"))) == given


@given(st.lists(st.tuples(TEXT, TEXT, TEXT, MAPS), max_size=5))
def test_triples_are_encoded_exactly(rows: list[tuple[str, str, str, dict[str, str]]]) -> None:
    names = ("src", "dst", "op", "attributes")
    given = [dict(zip(names, row, strict=True)) for row in rows]
    stored = [{**row, "attributes": json.dumps(row["attributes"])} for row in given]
    schema = pa.schema([(name, pa.string()) for name in names])
    assert read(json_triples(pa.Table.from_pylist(stored, schema))) == given


def test_many_rows_come_in_several_pieces() -> None:
    count = 2 * ROWS + 1
    table = pa.table({"item": ["x"] * count, "table": [""] * count, "depth": range(count)})
    assert len(list(json_items(table).pieces(","))) == 3
    assert [row["depth"] for row in read(json_items(table))] == list(range(count))
