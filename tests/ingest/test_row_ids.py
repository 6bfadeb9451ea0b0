"""Row IDs are items: ``(t, n)`` is the item named ``t/n``, for every kind of input."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.ingest.formats.column_mapping import columns_of, mapped_columns
from provhouse.ingest.from_arrow import from_arrow
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest_summary import Summary
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.store.names.id_lookup import read_ids
from provhouse.store.names.lookup import read_lookup

Houses = Callable[..., House]
EDGES = (0, 9, -1, 65535, 65536, 1 << 40, (1 << 63) - 1, -(1 << 63))
"""IDs at the ends of blocks, and at the ends of the range of IDs."""
ENDS = ("src", "dst", "op", "src_table", "dst_table")


def rows(count: int, seed: int, tables: int = 3) -> pa.Table:
    """Return random triples between rows of tables.

    Their ids include dense, sparse and edge ids.
    """
    rng = np.random.default_rng(seed)
    pools = (np.arange(100), rng.integers(-(1 << 62), 1 << 62, 100), np.array(EDGES))
    ids = rng.choice(np.concatenate(pools), (2, count))
    names = np.array([f"t{n}" for n in range(tables)])
    src, dst = rng.choice(names, (2, count))
    columns = {"src_id": ids[0], "dst_id": ids[1], "src_table": src, "dst_table": dst}
    return pa.table({**columns, "op": rng.choice(["f", "g"], count)})


def as_text(table: pa.Table) -> pa.Table:
    """Return the triples with the row IDs replaced by their printed names."""
    for end in ("src", "dst"):
        keys = zip(table[f"{end}_table"].to_pylist(), table[f"{end}_id"].to_pylist(), strict=True)
        names = pa.array([f"{of}/{number}" for of, number in keys])
        table = table.drop_columns(f"{end}_id").append_column(end, names)
    return table


def from_rows(house: House, table: Any, **options: Any) -> Summary:
    """Ingest a table of row ids."""
    return from_arrow(table, house.settings, progress=Silent(), **options)


def brought(house: House, table: Any, **options: Any) -> Summary:
    """Ingest a table of row ids, and check the invariants."""
    summary = from_rows(house, table, **options)
    house.check()
    return summary


def stored(house: House) -> set[tuple[str, str]]:
    """Return the name and the table of each item in a warehouse."""
    with house.asker() as asker:
        spans = asker.snapshot.spans
        every = ItemNumbers(np.concatenate([np.arange(s.first, s.first + s.items) for s in spans]))
        names, tables = asker.snapshot.names.names(every), asker.snapshot.names.tables(every)
    found = list(zip(names.to_pylist(), tables.to_pylist(), strict=True))
    assert len(set(found)) == len(found)
    return set(found)


def triples(house: House, folder: Path) -> set[tuple[str, ...]]:
    """Return the triples in a warehouse, with the tables of both ends."""
    export_warehouse(house.layout, folder, Silent())
    table = pq.read_table(sorted(folder.glob("*.parquet"))).select([*ENDS])
    return {tuple(row.values()) for row in table.to_pylist()}


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_row_ids_store_what_their_names_store(houses: Houses, tmp_path: Path, seed: int) -> None:
    """Row IDs alone, and names followed by row IDs, both give the expected items and triples."""
    parts = [rows(400, seed), rows(300, seed + 50)]
    by_id, mixed = houses(), houses()
    every, known = set[tuple[str, ...]](), set[tuple[str, str]]()
    for number, part in enumerate(parts):
        before = len(every), len(known)
        for row in as_text(part).to_pylist():
            every.add(tuple(row[name] for name in ENDS))
            known |= {(row[end], row[f"{end}_table"]) for end in ("src", "dst")}
        expected = (len(every) - before[0], len(known) - before[1], len(known))
        one = from_rows(by_id, part, run=str(number))
        two = from_rows(mixed, part if number else as_text(part), run=str(number))
        for each in (one, two):
            assert (each.new_triples, each.new_items, each.items) == expected
    for number, house in enumerate((by_id, mixed)):
        assert stored(house) == known
        assert triples(house, tmp_path / str(number)) == every
    assert from_rows(by_id, as_text(parts[0])).new_triples == 0
    assert from_rows(mixed, parts[0]).new_items == 0
    by_id.check_deep()
    compact(by_id.settings, Silent())
    assert stored(by_id) == known


@pytest.mark.long
def test_a_file_row_ids_and_a_spark_frame_meet_in_one_item(houses: Houses) -> None:
    house = houses()
    with house.open() as warehouse:
        file = house.settings.warehouse.parent / "a.csv"
        file.write_text("src,dst,dst_table\nraw,orders/17,orders\n")
        warehouse.ingest(file)
        warehouse.ingest(
            pa.table(
                {"src_id": [17], "dst_id": [9], "src_table": ["orders"], "dst_table": ["bills"]}
            )
        )
        frame = house.session.createDataFrame(
            [(17, "orders", "report")], "src_id long, src_table string, dst string"
        )
        assert warehouse.ingest(frame).new_items == 1
        impact = warehouse.impact("orders/17")
        assert {item.item for item in impact.items} == {"bills/9", "report"}
        assert [item.item for item in warehouse.lineage("report").items] == ["orders/17", "raw"]
    house.check()


@pytest.mark.long
def test_names_and_row_ids_of_one_ingest_meet(houses: Houses) -> None:
    """One end is a name and the other a row id.

    Some of the names are printed row IDs, and others only look like them.
    """
    house = houses()
    names = ["t/1", "t/01", "t/2", "u/1", "x"]
    summary = brought(
        house,
        pa.table({"src": names, "dst_id": [1, 1, 1, 1, 1], "dst_table": ["t"] * 5}),
    )
    assert (summary.new_items, summary.new_triples) == (5, 5)
    assert {name for name, _ in stored(house)} == set(names)


@pytest.mark.long
def test_keys_that_are_no_integers_are_text(houses: Houses) -> None:
    house = houses()
    keys = pa.table({"src_id": ["007", "7"], "src_table": ["agents"] * 2, "dst": ["m", "m"]})
    brought(house, keys)
    large = pa.array([(1 << 63) - 1, 1 << 63], pa.uint64())
    brought(house, keys.set_column(0, "src_id", large))
    with house.asker() as asker:
        found = {row["item"] for row in asker.ask("m", "upstream").items.to_pylist()}
    assert found == {f"agents/{key}" for key in ("007", "7", (1 << 63) - 1, 1 << 63)}


def test_rows_without_an_id_or_a_table_are_rejected(houses: Houses) -> None:
    house = houses()
    table = pa.table(
        {
            "src_id": [1, None, 3, 4],
            "src_table": pa.array(["a", "a", None, ""]).dictionary_encode(),
            "dst": ["x", "x", "x", None],
        }
    )
    summary = brought(house, table)
    assert [each.reason for each in summary.first_rejects] == [
        "no src_id", "no src_table", "no src_table and no dst",
    ]  # fmt: skip
    assert summary.new_triples == 1
    with pytest.raises(BadInput, match="no column src_table"):
        brought(house, table.drop_columns("src_table"))


@pytest.mark.long
def test_a_name_takes_precedence_over_an_id(houses: Houses) -> None:
    """If there is a column src, an unmapped src_id is an attribute, as in earlier versions."""
    house = houses()
    table = pa.table({"src": ["a"], "src_id": [1], "src_table": ["t"], "dst": ["b"]})
    brought(house, table)
    assert {name for name, _ in stored(house)} == {"a", "b"}
    with pytest.raises(BadInput, match="the column src has no known meaning"):
        brought(house, table, columns=columns_of(["src_id=src_id"], None))
    ids = table.rename_columns({"src": "note", "src_id": "number"})
    brought(house, ids, columns=columns_of(["src_id=number"], None))
    assert {name for name, _ in stored(house)} == {"a", "b", "t/1"}
    with pytest.raises(UsageError, match="src and src_id are both mapped"):
        mapped_columns({"src": "note", "src_id": "number"}, None)


def test_a_row_id_stored_in_another_table_is_refused(houses: Houses) -> None:
    house = houses()
    brought(house, pa.table({"src": ["t/1"], "src_table": ["other"], "dst": ["x"]}))
    ids = pa.table({"src_id": [1, 2], "src_table": ["t", "t"], "dst": ["x", "x"]})
    with pytest.raises(BadInput, match="1 name occurs in two tables") as raised:
        brought(house, ids)
    assert "'t/1' in other and t" in raised.value.found
    assert brought(house, ids, names="global").two_tables == 1
    assert ("t/1", "other") in stored(house)


@pytest.mark.long
def test_a_pattern_names_the_rows_of_a_table(houses: Houses, tmp_path: Path) -> None:
    """The pattern is stored with the first row ids.

    Later ingests, compactions and imports keep it.
    """
    house = houses()
    brought(house, pa.table({"src": ["INV-17"], "dst": ["report"]}))
    ids = pa.table({"src_id": [17], "dst_id": [1], "src_table": ["bills"], "dst_table": ["sums"]})
    summary = from_rows(house, ids, patterns={"bills": "INV-{id}"})
    assert (summary.new_items, summary.new_triples) == (1, 1)
    assert from_rows(house, ids, label="again").new_triples == 0
    text = pa.table({"src_id": ["x"], "src_table": ["bills"], "dst": ["report"]})
    from_rows(house, text)
    assert {name for name, _ in stored(house)} == {"INV-17", "report", "sums/1", "INV-x"}
    assert [*house.commit.patterns] == ["bills", "sums"]
    compact(house.settings, Silent())
    for table in ("bills", "sums"):
        with pytest.raises(UsageError, match=f"The pattern of {table} cannot change"):
            from_rows(house, ids, patterns={table: "#{id}"})
    export_warehouse(house.layout, tmp_path / "export", Silent())
    other = houses()
    import_(tmp_path / "export", other.settings, Silent())
    assert other.commit.patterns == house.commit.patterns
    assert from_rows(other, ids).new_items == 0
    assert from_rows(other, ids, replace=True, patterns={"bills": "B{id}"}).items == 2
    assert {name for name, _ in stored(other)} == {"B17", "sums/1"}


@pytest.mark.long
def test_a_key_fixes_the_pattern_too(houses: Houses) -> None:
    house = houses()
    brought(house, pa.table({"src_id": ["x"], "src_table": ["t"], "dst": ["y"]}))
    with pytest.raises(UsageError, match=r"Stored items are named 't/\{id\}'"):
        from_rows(house, rows(1, 1), patterns={"t": "#{id}"})
    named = houses()
    with pytest.raises(UsageError, match="does not accept --pattern"):
        from_rows(named, rows(1, 1), names="table", patterns={"t": "#{id}"})


def stored_forms(house: House) -> tuple[int, int]:
    """Return how many items are found by a hash of the name, and how many by row ID.

    Only items in the current base count.
    """
    with house.asker() as asker:
        folder = house.layout.names(asker.snapshot.commit.base)
        spans = [span for span in asker.snapshot.spans if span.items]
    hashed = sum(len(read_lookup(folder, span.ingest)) for span in spans)
    known = [read_ids(folder, span.ingest) for span in spans]
    return hashed, sum(len(each.offsets()) for each in known if each)


@pytest.mark.long
def test_items_that_are_row_ids_have_no_stored_names(houses: Houses) -> None:
    """Neither a compaction nor a later ingest stores a row ID as a name."""
    house = houses()
    text = as_text(rows(40, 11))
    brought(house, text)
    names = len(stored(house))
    assert stored_forms(house) == (names, 0)
    new = from_rows(house, rows(400, 12)).new_items
    assert stored_forms(house) == (names, new)
    more = pa.table(
        {"src": ["t0/-77", "t0/077", "u/1"], "src_table": ["t0", "t0", "u"], "dst": ["x"] * 3}
    )
    from_rows(house, more)
    assert stored_forms(house) == (names + 3, new + 1)  # t0/077, u/1 and x have stored names
    before = stored(house)
    compact(house.settings, Silent())
    house.check_deep()
    assert stored_forms(house) == (3, names + new + 1)
    assert stored(house) == before


@pytest.mark.long
def test_an_erased_row_id_is_not_found(houses: Houses) -> None:
    house = houses()
    ids = rows(300, 13)
    from_rows(house, ids)
    names = sorted(name for name, _ in stored(house))
    gone = ["t0/9", f"t1/{EDGES[-1]}", "t2/0"]
    assert set(gone) < set(names)
    forget(gone, house.settings, Silent())
    house.check_deep()
    with house.asker() as asker:
        found = asker.snapshot.locate(pa.array(names)) >= 0
    assert found.tolist() == [name not in gone for name in names]
    assert from_rows(house, ids).new_items == 3
