"""Rows are read from Arrow, converted to data frames and graphs, and shown as notebook tables."""

import re
from collections.abc import Iterator

import pyarrow as pa
import pytest

import provhouse
from provhouse import rows
from provhouse.records import Records
from provhouse.rows import Item, Rows, Triple, rows_of

CODED = pa.dictionary(pa.int32(), pa.string())
ITEMS = pa.table(
    {
        "item": pa.array(["b", "<c>", "d\n"], CODED),
        "table": pa.array(["t", "", "t"], CODED),
        "depth": pa.array([1, 1, 2], pa.int32()),
    }
)
TUPLES = [Item("b", "t", 1), Item("<c>", "", 1), Item("d\n", "t", 2)]


def test_rows_are_a_sequence() -> None:
    found = rows_of(Item, ITEMS)
    assert list(found) == TUPLES
    assert (found[0], found[-1], len(found)) == (TUPLES[0], TUPLES[2], 3)
    assert list(found[1:]) == TUPLES[1:]
    assert list(found[::-2]) == TUPLES[::-2]
    assert TUPLES[1] in found
    assert repr(found) == "<3 rows: item, table, depth>"
    with pytest.raises(IndexError):
        _ = found[3]


def test_rows_are_equal_if_their_values_are() -> None:
    plain = pa.table({name: ITEMS[name].to_pylist() for name in ITEMS.column_names})
    assert rows_of(Item, ITEMS) == rows_of(Item, plain)
    assert rows_of(Item, ITEMS) != rows_of(Item, plain.slice(1))
    assert rows_of(Item, ITEMS) != rows_of(Item, plain.take(pa.array([0, 2, 1])))


def test_items_have_sets_if_they_were_asked_for() -> None:
    found = rows_of(Item, ITEMS.append_column("set", pa.array([7, 8, 9])))
    assert [row.set for row in found] == [7, 8, 9]
    assert found[0] == Item("b", "t", 1, 7)


def test_attributes_are_a_mapping() -> None:
    table = pa.table({"src": ["a"], "dst": ["b"], "op": [""], "attributes": ['{"by":"x"}']})
    (triple,) = rows_of(Triple, table)
    assert (triple.src, triple.attributes) == ("a", {"by": "x"})


def test_arrow_and_pandas_have_the_same_values() -> None:
    found = rows_of(Item, ITEMS)
    assert found.to_arrow() is ITEMS
    assert pa.table(found).equals(ITEMS)
    frame = found.to_pandas()
    assert [tuple(row) for row in frame.itertuples(index=False)] == [
        tuple(row)[:3] for row in TUPLES
    ]
    assert frame.groupby("table").size().to_dict() == {"": 1, "t": 2}
    assert rows_of(Item, ITEMS.slice(0, 0)).to_pandas().columns.tolist() == [
        "item",
        "table",
        "depth",
    ]


def test_polars_reads_rows() -> None:
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(rows_of(Item, ITEMS).to_arrow()).rows() == [
        tuple(row)[:3] for row in TUPLES
    ]


def test_a_notebook_shows_the_first_rows() -> None:
    shown = rows_of(Item, ITEMS)._repr_html_()
    assert re.findall(r"<td [^>]*>(.*?)</td>", shown)[:4] == ["b", "t", "1", "&lt;c&gt;"]
    assert "d\\n" in shown
    many = Rows(pa.table({"n": range(10_000)}), lambda row: row)._repr_html_()
    assert many.count("<tr>") == 1 + rows.SHOWN
    assert "… 9,980 more" in many


def test_print_shows_the_first_rows() -> None:
    lines = str(rows_of(Item, ITEMS)).splitlines()
    assert lines[0].split() == ["item", "table", "depth"]
    assert lines[1].split() == ["b", "t", "1"]
    assert len(lines) == 1 + len(TUPLES)
    assert str(Rows(pa.table({"n": range(10_000)}), lambda row: row)).endswith("… 9,980 more")
    assert str(rows_of(Item, ITEMS.slice(0, 0))).split() == ["item", "table", "depth"]
    records = Records(("n", "text"), [(1, "one"), (None, "\x1b[31m")])
    assert [line.split() for line in str(records).splitlines()][1] == ["1", "one"]
    assert "\x1b" not in str(records)


@pytest.fixture
def asked(warehouse: provhouse.Warehouse) -> Iterator[provhouse.Warehouse]:
    with warehouse:
        yield warehouse


def test_results_show_in_a_notebook_what_a_terminal_shows(asked: provhouse.Warehouse) -> None:
    shown = asked.lineage("revenue/2026-03")._repr_html_()
    assert "derives from 6 items in 3 tables, up to 3 hops away" in shown
    assert "Step by step" in shown
    assert shown.count("<table>") == 3
    assert "3 hops away" in asked.path("prices/milk", "revenue/2026-03")._repr_html_()
    assert "orders/17" in asked.find("orders/")._repr_html_()
    assert "CSProv" in asked.explain("revenue/2026-03")._repr_html_()
    printed = str(asked.lineage("revenue/2026-03"))
    assert printed.startswith("revenue/2026-03 (revenue) derives from 6 items in 3 tables")
    assert "Answer(" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert "nothing added, nothing removed" in asked.diff("invoices/9", 1)._repr_html_()
    assert "ingest" in asked.generations()._repr_html_()
    assert "<td" in asked.cypher("RETURN 1 AS one")._repr_html_()


def test_a_graph_has_every_triple_once(asked: provhouse.Warehouse) -> None:
    answer = asked.impact("prices/milk")
    graph = answer.to_networkx()
    assert set(graph) == {"prices/milk", *(item.item for item in answer.items)}
    assert graph.nodes["prices/milk"] == {"table": "prices", "depth": 0}
    assert graph.get_edge_data("prices/milk", "orders/18", 0) == {
        "op": "price", "attributes": {"by": "shop"},
    }  # fmt: skip
    assert graph.number_of_edges() == len(answer.triples)
