"""Names that occur in two tables are refused, prefixed or merged, as the first ingest specified."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.rollback import rollback
from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.imported import import_
from provhouse.ingest.item_naming import naming_of, with_tables
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.store.warehouse.commits import Commit, Totals, generations, read_commit
from provhouse.store.warehouse.layout import Layout

Houses = Callable[..., House]
BILLED = [Triple(str(n), str(n + 1), "bill", "orders", "invoices") for n in range(17, 22)]
"""Orders and invoices. Their IDs are unique only within a table."""
PAID = [Triple("invoices/18", "1", "pay", "invoices", "payments")]


def upstream(house: House, item: str) -> list[tuple[str, str]]:
    """Return the name and table of each item from which an item derives."""
    with house.asker() as asker:
        rows = asker.ask(item, "upstream").items.to_pylist()
    return sorted((row["item"], row["table"]) for row in rows)


def test_a_name_in_two_tables_ends_the_ingest(houses: Houses) -> None:
    """The error has three examples and both remedies, and nothing is stored."""
    house = houses()
    with pytest.raises(BadInput) as raised:
        house.ingest(BILLED)
    assert raised.value.wanted == "4 names occur in two tables"
    assert raised.value.found.count(" in ") == 3
    assert "'18' in invoices and orders" in raised.value.found
    for remedy in ("--names table", "--names global"):
        assert remedy in str(raised.value.remedy)
    assert generations(house.layout) == []


@pytest.mark.long
def test_a_name_in_another_table_than_the_stored_item_ends_the_ingest(houses: Houses) -> None:
    house = houses()
    house.ingest(BILLED[:1])
    with pytest.raises(BadInput, match="1 name occurs in two tables"):
        house.ingest([Triple("18", "1", "pay", "payments", "receipts")])
    assert house.commit.naming == "unique"
    merged = house.ingest([Triple("18", "1", "pay", "payments", "receipts")], names="global")
    assert (merged.two_tables, house.commit.naming) == (1, "global")
    assert house.ingest([Triple("17", "2", "pay", "payments", "receipts")]).two_tables == 1


def naming(house: House) -> str:
    """Return the naming mode that the current commit record contains."""
    return house.commit.naming


@pytest.mark.long
def test_items_are_named_with_their_tables(houses: Houses, tmp_path: Path) -> None:
    """Names that begin with their table get no prefix. Later commands keep this naming mode."""
    house = houses()
    assert house.ingest(BILLED, names="table").two_tables == 0
    house.ingest(PAID)
    assert upstream(house, "payments/1") == [("invoices/18", "invoices"), ("orders/17", "orders")]
    with pytest.raises(UsageError, match="does not accept --names global"):
        house.ingest(BILLED, names="global")
    compact(house.settings, Silent())
    assert naming(house) == "table"
    export_warehouse(house.layout, tmp_path / "export", Silent())
    other = houses()
    import_(tmp_path / "export", other.settings, Silent())
    assert other.ingest(BILLED).new_triples == 0
    assert naming(other) == "table"
    rollback(other.settings, Silent())
    assert naming(other) == "table"
    assert house.ingest(BILLED[:1], replace=True).items == 2
    assert naming(house) == "table"
    assert house.ingest([Triple("a", "b")], replace=True, names="global").items == 2
    assert naming(house) == "global"


@pytest.mark.long
def test_a_scope_stands_before_the_table(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    file = tmp_path / "runs.csv"
    file.write_text("src,dst,src_table,dst_table,run\n1,2,a,b,r\n1,2,a,b,s\n")
    house.ingest_files(file, names="table", columns=columns_of([], "run"))
    assert upstream(house, "s/b/2") == [("s/a/1", "a")]


def test_names_get_their_table_unless_they_begin_with_it() -> None:
    names = pa.array(["17", "orders/17", "orders", "orders-17", "", "x", "ü/1", "/1"])
    tables = pa.array(["orders", "orders", "orders", "orders", "t", "", "ü", ""])
    assert with_tables(names, tables).to_pylist() == [
        "orders/17", "orders/17", "orders/orders", "orders/orders-17", "t/", "x", "ü/1", "/1",
    ]  # fmt: skip
    assert with_tables(names.slice(1, 2), tables.slice(1, 2)).to_pylist() == [
        "orders/17", "orders/orders",
    ]  # fmt: skip
    assert with_tables(names.slice(0, 0), tables.slice(0, 0)).to_pylist() == []


def test_a_record_without_naming_merges_names(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    record = {
        "base": 1, "generation": 1, "commit": "c", "time": "t", "visible": [[1, 1]], "tables": {},
        "totals": {}, "format": 2,
    }  # fmt: skip
    layout.commits.mkdir(parents=True)
    (layout.commits / "1.json").write_text(json.dumps(record))
    assert read_commit(layout, 1).naming == "global"


def test_an_empty_generation_accepts_any_naming() -> None:
    nothing = Commit(1, 2, "c", "t", (), {}, Totals(), naming="table")
    assert naming_of(nothing, "global", new_base=False) == "global"
    assert naming_of(nothing, None, new_base=False) == "table"
    assert naming_of(None, None, new_base=False) == "unique"
