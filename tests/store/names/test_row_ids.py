"""Row IDs have names and are found by name, although only the IDs are stored."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.commit.erasing.name_files import clear_ids, clear_segments, mark_erased
from provhouse.model.arrays import ItemNumbers
from provhouse.model.patterns import Pattern, usual_pattern
from provhouse.store.names.hashing import hashes
from provhouse.store.names.id_columns import decoded, encoded
from provhouse.store.names.id_lookup import IDS_PER_BATCH, TableIds, ids_file, read_ids, write_ids
from provhouse.store.names.lookup import lookup_file, write_lookup
from provhouse.store.names.names import Names, Span
from provhouse.store.names.scan import scan
from provhouse.store.names.segments import BATCH, RowIds, ids_among, names_file, write_names

LEAST, MOST = -(1 << 63), (1 << 63) - 1
PATTERNS = {"t": usual_pattern("t"), "bills": Pattern("INV-", "#")}
SPAN = Span(1, 5, 3 * BATCH)
NUMBERS = st.integers(LEAST, MOST) | st.integers(-9, 9)


@pytest.mark.long
@given(st.lists(st.tuples(NUMBERS, st.integers(0, 3), st.booleans())))
def test_ids_are_decoded_as_they_were(rows: list[tuple[int, int, bool]]) -> None:
    ids = np.array([row[0] for row in rows], np.int64)
    codes = np.array([row[1] for row in rows], np.int32)
    has = np.array([row[2] for row in rows], bool)
    column = encoded(ids, codes, has)
    found, present = decoded(column, codes)
    assert present.tolist() == has.tolist()
    assert found[has].tolist() == ids[has].tolist()


def some_names(count: int) -> tuple[list[str], list[str]]:
    """Return names of three kinds, and their tables. Only some names are row IDs of their table."""
    rng = np.random.default_rng(count)
    names, tables = [], []
    for number in range(count):
        kind = int(rng.integers(5))
        names.append(
            [f"t/{number}", f"INV-{-7 * number}#", f"t/0{number}", f"t/x{number}", "t/"][kind]
        )
        tables.append(["t", "bills", "t", "", ""][kind])
        if kind == 4:
            # the name is like that of a row of t, but the item is not in the table t
            names[-1] = f"t/{MOST - number}"
    return names, tables


def stored(folder: Path, names: list[str], tables: list[str]) -> np.ndarray:
    """Store names as an ingest does; return which of the names are stored only as IDs."""
    texts, of = pa.array(names, pa.string()), pa.array(tables, pa.string())
    codes, ids = ids_among(texts, of, PATTERNS)
    printed = codes >= 0
    left = pa.array(names, pa.string(), mask=printed)
    for start in range(0, len(names), 2 * BATCH):
        some = slice(start, start + 2 * BATCH)
        row_ids = RowIds(ids[some], printed[some], PATTERNS)
        path = folder / names_file(SPAN.first + start, SPAN.ingest)
        write_names(path, left[some], of[some], row_ids)
    offsets = np.arange(len(names), dtype=np.uint32)
    pairs = [(hashes(texts)[~printed], offsets[~printed])]
    write_lookup(lookup_file(folder, SPAN.ingest), lambda: pairs)
    known = []
    for at, pattern in enumerate(PATTERNS.values()):
        rows = np.flatnonzero(codes == at)
        rows = rows[np.argsort(ids[rows])]
        known.append(TableIds(pattern, ids[rows], offsets[rows]))
    write_ids(ids_file(folder, SPAN.ingest), known)
    return printed


def test_names_and_tables_are_those_that_were_stored(tmp_path: Path) -> None:
    names, tables = some_names(SPAN.items)
    printed = stored(tmp_path, names, tables)
    assert 0 < printed.sum() < len(names)
    for name, table, as_id in zip(names, tables, printed, strict=True):
        assert as_id == (table == "bills" or (table == "t" and not name.startswith("t/0")))
    known = Names(tmp_path, [SPAN])
    every = ItemNumbers(np.arange(SPAN.first, SPAN.first + SPAN.items))
    assert known.names(every).to_pylist() == names
    assert known.tables(every).to_pylist() == tables
    shuffled = ItemNumbers(np.random.default_rng(1).permutation(every))
    assert known.names(shuffled).to_pylist() == [names[n - SPAN.first] for n in shuffled]
    assert known.locate(pa.array(names)).tolist() == every.tolist()
    assert known.locate(pa.chunked_array([names[7:9], names[:1]])).tolist() == [12, 13, 5]
    texts, of = known.described(every)
    assert texts.to_pylist() == names
    assert of.to_pylist() == tables
    scanned = [
        text for piece in scan(known, lambda rows, _: rows["name"].to_pylist()) for text in piece
    ]
    assert scanned == names


@pytest.mark.long
def test_row_ids_are_located_however_their_items_are_stored(tmp_path: Path) -> None:
    names, tables = some_names(SPAN.items)
    stored(tmp_path, names, tables)
    known = Names(tmp_path, [SPAN])
    wanted = np.array([*range(-3, SPAN.items), *range(MOST - SPAN.items, MOST), LEAST])
    found = {name: SPAN.first + at for at, name in enumerate(names)}
    for pattern in (*PATTERNS.values(), usual_pattern("other")):
        expected = [found.get(pattern.name(str(number)), -1) for number in wanted.tolist()]
        assert known.locate_ids(pattern, wanted).tolist() == expected
    assert known.locate(pa.array(["t/-1", "t/01", "INV-1#", "", "u/1"])).tolist()[2:] == [
        -1,
        -1,
        -1,
    ]


def test_erased_row_ids_leave_no_trace(tmp_path: Path) -> None:
    names, tables = some_names(SPAN.items)
    printed = stored(tmp_path, names, tables)
    gone = ItemNumbers(np.flatnonzero(printed)[::3] + SPAN.first)
    before = Names(tmp_path, [SPAN])
    assert before.locate(pa.array(names)).min() == SPAN.first
    left = [
        -1 if at + SPAN.first in set(gone.tolist()) else at + SPAN.first for at in range(len(names))
    ]
    mark_erased(tmp_path, gone)
    assert before.locate(pa.array(names)).tolist() == left
    clear_segments(tmp_path, [SPAN], gone)
    clear_ids(tmp_path, SPAN, gone)
    for known in (before, Names(tmp_path, [SPAN])):
        assert known.locate(pa.array(names)).tolist() == left
    after = Names(tmp_path, [SPAN])
    assert after.stored(gone).null_count == len(gone)
    every = ItemNumbers(np.arange(SPAN.first, SPAN.first + SPAN.items))
    shown = [None if at < 0 else name for name, at in zip(names, left, strict=True)]
    assert after.names(every).to_pylist() == shown
    known_ids = read_ids(tmp_path, SPAN.ingest)
    assert known_ids
    assert len(known_ids.offsets()) == printed.sum() - len(gone)
    assert not np.isin(known_ids.offsets() + SPAN.first, gone).any()


@pytest.mark.parametrize("count", [0, 1, IDS_PER_BATCH, 2 * IDS_PER_BATCH + 1])
def test_a_look_up_finds_the_ids_of_each_table(tmp_path: Path, count: int) -> None:
    rng = np.random.default_rng(count)
    tables = []
    for at, pattern in enumerate(PATTERNS.values()):
        pool = [LEAST, MOST, *range(at, count)] if at else rng.integers(LEAST, MOST, count).tolist()
        ids = np.unique(np.array(pool[:count], np.int64))
        tables.append(TableIds(pattern, ids, rng.integers(0, 1 << 32, len(ids)).astype(np.uint32)))
    write_ids(ids_file(tmp_path, 1), tables)
    known = read_ids(tmp_path, 1)
    assert known
    for table in tables:
        expected = dict(zip(table.ids.tolist(), table.offsets.tolist(), strict=True))
        wanted = np.array([*table.ids[::-1], *(table.ids[:9] + 1), LEAST, MOST, 0], np.int64)
        found = known.find(table.pattern, wanted)
        assert found.tolist() == [expected.get(number, -1) for number in wanted.tolist()]
    assert sorted(known.offsets().tolist()) == sorted(n for t in tables for n in t.offsets.tolist())
    kept = [table for table in tables if len(table.ids)]
    for one, other in zip(known.tables(), kept, strict=True):
        assert one.pattern == other.pattern
        assert np.array_equal(one.ids, other.ids)
        assert np.array_equal(one.offsets, other.offsets)
    assert read_ids(tmp_path, 2) is None
