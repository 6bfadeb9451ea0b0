"""Row IDs of an ingest are counted and found exactly as with a dictionary."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.id_index import IdIndex
from provhouse.ingest.steps.id_shards import IdShard, IdTable, votes_of
from provhouse.ingest.steps.read_ids import IdWriter, table_codes
from provhouse.ingest.steps.read_row_ids import RowIdsRead
from provhouse.model.arrays import I64
from provhouse.model.patterns import usual_pattern

TABLES = ("a", "b", "c")
COUNT = 1 << 16


def drawn(kind: str, rng: np.random.Generator) -> I64:
    """Return random IDs of a kind: without gaps, with gaps, in few distant blocks, or anywhere."""
    if kind == "full":
        return np.arange(COUNT)[rng.permutation(COUNT)] - 1000
    if kind == "gaps":
        return rng.integers(0, COUNT, COUNT)
    if kind == "blocks":
        return (rng.integers(-4, 4, COUNT) << 40) + rng.integers(0, 5000, COUNT)
    return rng.integers(-(1 << 63), (1 << 63) - 1, COUNT)


@pytest.mark.parametrize(
    ("kind", "shards"),
    [
        pytest.param(kind, shards, marks=[pytest.mark.long] * (shards == 4 and kind != "blocks"))
        for kind in ("full", "gaps", "blocks", "sparse")
        for shards in (1, 4)
    ],
)
def test_every_row_id_has_one_position_and_all_its_votes(
    tmp_path: Path, kind: str, shards: int
) -> None:
    rng = np.random.default_rng(len(kind) + shards)
    staging = Staging(tmp_path).create()
    seen: Counter[tuple[str, int]] = Counter()
    parts = {}
    for number, known in enumerate((TABLES, TABLES[::-1])):
        with IdWriter(staging, number, shards) as out:
            for _ in range(2):
                ids, of = drawn(kind, rng), rng.choice(known[: 2 + number], COUNT)
                written, codes = out.write(pa.array(ids), pa.array(of))
                assert (written == ids).all()
                assert [out.tables[code] for code in codes[:100]] == of[:100].tolist()
                seen.update(zip(of.tolist(), ids.tolist(), strict=True))
            parts[number] = table_codes(out.tables, TABLES)
    tables = [IdTable(name, usual_pattern(name)) for name in TABLES]
    tasks = [IdShard(n, staging, tables, parts, None) for n in range(shards)]
    found = RowIdsRead(staging, tables, [task.run() for task in tasks])
    found.join()
    assert found.items == len(seen)
    wanted = list(seen)
    index = IdIndex(staging)
    codes = np.array([TABLES.index(table) for table, _ in wanted], np.int32)
    ids = np.array([number for _, number in wanted])
    at = index.find(codes, ids)
    assert sorted(at.tolist()) == list(range(len(wanted)))
    assert votes_of(staging, found.starts, at).tolist() == [seen[each] for each in wanted]
    assert [each.tolist() for each in index.row_ids(at)] == [ids.tolist(), codes.tolist()]
    others = [(t, n + d) for t, n in wanted[:2000] for d in (-1, 1) if abs(n) < 1 << 62]
    missing = [each for each in others if each not in seen]
    codes = np.array([TABLES.index(table) for table, _ in missing], np.int32)
    ids = np.array([number for _, number in missing], np.int64)
    assert (index.find(codes, ids) == -1).all()
    assert (index.find(np.full(len(ids), -1, np.int32), ids) == -1).all()
