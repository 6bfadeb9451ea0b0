"""Look-ups of row IDs find each ID's item, and need few bytes even if sets interleave."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from provhouse.model.arrays import I64
from provhouse.model.patterns import Pattern, usual_pattern
from provhouse.runtime.storage import batch_writer
from provhouse.store.names.id_lookup import IDS_PER_BATCH, IdLookup, TableIds, write_ids

LEAST, MOST = -(1 << 63), (1 << 63) - 1
SALES, BILLS = usual_pattern("sales"), Pattern("INV-")


def in_sets(ids: I64, sets: int) -> TableIds:
    """Return row IDs in ascending order, and their item numbers.

    The items are spread over ``sets`` sets, and each set has consecutive numbers.
    """
    set_of = np.random.default_rng(sets).integers(0, sets, len(ids))
    offsets = np.empty(len(ids), np.uint32)
    offsets[np.argsort(set_of, kind="stable")] = np.arange(len(ids), dtype=np.uint32)
    return TableIds(SALES, ids, offsets)


def check(lookup: IdLookup, table: TableIds) -> None:
    """Check the result of a look-up for all IDs of one table."""
    shuffled = np.random.default_rng(1).permutation(len(table.ids))
    found = lookup.find(table.pattern, table.ids[shuffled])
    assert found.tolist() == table.offsets[shuffled].tolist()
    (stored,) = (each for each in lookup.tables() if each.pattern == table.pattern)
    assert stored.ids.tolist() == table.ids.tolist()
    assert stored.offsets.tolist() == table.offsets.tolist()


@pytest.mark.parametrize("sets", [1, 4, 3 * IDS_PER_BATCH])
def test_each_id_leads_to_its_item(tmp_path: Path, sets: int) -> None:
    gaps = np.random.default_rng(sets).integers(1, 400, 2 * IDS_PER_BATCH)
    ids = np.array([LEAST, LEAST + 1, *(np.cumsum(gaps) - 500), MOST - 1, MOST], np.int64)
    sales = in_sets(ids, sets)
    bills = TableIds(BILLS, ids[:9], np.arange(9, dtype=np.uint32)[::-1] + np.uint32(len(ids)))
    write_ids(tmp_path / "ids.arrow", [sales, bills])
    lookup = IdLookup(tmp_path / "ids.arrow")
    check(lookup, sales)
    check(lookup, bills)
    absent = np.setdiff1d(np.arange(-600, 600), ids)
    assert lookup.find(SALES, absent).tolist() == [-1] * len(absent)


@pytest.mark.parametrize(("sets", "most"), [(1, 0.15), (4, 0.6)])
def test_rows_of_few_sets_take_few_bytes(tmp_path: Path, sets: int, most: float) -> None:
    table = in_sets(np.arange(1 << 40, (1 << 40) + 20 * IDS_PER_BATCH), sets)
    write_ids(tmp_path / "ids.arrow", [table])
    assert (tmp_path / "ids.arrow").stat().st_size / len(table.ids) < most


def test_look_ups_of_earlier_releases_are_read(tmp_path: Path) -> None:
    table = in_sets(np.arange(100, dtype=np.int64) * 3, 4)
    schema = pa.schema([("id", pa.int64()), ("offset", pa.uint32())])
    metadata = {
        "patterns": json.dumps([(SALES.before, SALES.after)]),
        "starts": "[0, 1]",
        "firsts": "[0]",
    }
    with batch_writer(tmp_path / "ids.arrow", schema.with_metadata(metadata)) as out:
        steps = np.diff(table.ids, prepend=0), np.diff(table.offsets, prepend=np.uint32(0))
        out.write_batch(pa.record_batch([pa.array(each) for each in steps], schema=schema))
    check(IdLookup(tmp_path / "ids.arrow"), table)
