"""Warehouses in released formats still work, and can be restored from a copy.

``kept/format-N.tar.xz`` contains a warehouse, without its Neo4j, that a version with format N
wrote. It also contains the files that were ingested. Generation 1 is an ingest of ``first``, and
generation 2 one of ``third``. Generation 3 rolls back generation 2. Generation 4 is a compaction,
and generation 5 an ingest of ``second``. With format 2, generation 5 has the run ``kept``;
generation 6 is the same ingest with the run ``again``; generation 7 is a retraction of that run;
generation 8 is a retraction of the item ``end/85``; and generation 9 is an ingest of ``fourth``.
"""

import json
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from helpers.kept import Row, assert_answers, rows
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.prune import prune
from provhouse.care.repair import repair
from provhouse.care.rollback import rollback
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.query.lineage.ask import Asker
from provhouse.store.warehouse.commits import FORMAT, generations
from provhouse.store.warehouse.ids import read_ids

Houses = Callable[..., House]
KEPT = Path(__file__).parent / "kept"


def test_a_warehouse_of_format_1_answers_as_before(kept: House, files: Path) -> None:
    assert check(kept.settings, Silent(), deep=True).damages == ()
    kept.check()
    assert_answers(kept, rows(files, "first", "second"))
    assert_answers(kept, rows(files, "first"), 1)
    assert_answers(kept, rows(files, "first", "third"), 2)
    assert (read_ids(kept.layout).pruned, read_ids(kept.layout).generation) == (0, 6)


@pytest.mark.long
def test_a_warehouse_of_format_2_is_read_and_written_on(houses: Houses, tmp_path: Path) -> None:
    """In format 2, attributes that are named like derivation columns remain attributes."""
    with tarfile.open(KEPT / "format-2.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    house = houses(warehouse=tmp_path / "warehouse", theta=10, partition_triples=50)
    repair(house.settings, Silent())
    house.check_deep()
    both = rows(tmp_path, "first", "second")
    left = [row for row in both if "end/85" not in row.triple[:2]]
    assert_answers(house, both, 5)
    assert_answers(house, both, 7)
    assert_answers(house, left, 8)
    again = house.ingest_files(tmp_path / "fourth.csv")
    assert (again.new_triples, again.duplicates) == (0, 20)
    (tmp_path / "new.csv").write_text(
        "src,dst,op_kind,value\nend/80,joint,all,1\nend/81,joint,all,2\n"
    )
    assert house.ingest_files(tmp_path / "new.csv").new_triples == 2
    compact(house.settings, Silent())
    house.bare = True  # the retraction left an item without a triple
    house.check_deep()
    with house.asker() as asker:
        (triple,) = asker.ask("mid/0", "downstream", depth=1).triples.to_pylist()
        assert json.loads(triple["attributes"])["times"] == "1"
        assert asker.ask("joint", "upstream", depth=1).triples.num_rows == 2


def test_a_warehouse_of_a_newer_version_is_refused_unchanged(kept: House, tmp_path: Path) -> None:
    """Every command refuses a warehouse of a newer version, no matter what that version changed."""
    folder = tmp_path / "warehouse"
    shutil.copytree(kept.settings.warehouse, folder)
    house = House(replace(kept.settings, warehouse=folder), kept.session)
    for path, change in (
        (folder / "commits" / "5.json", {"format": FORMAT + 1, "unknown": "field", "totals": {}}),
        (folder / "ids.json", {"unknown": "field", "unfinished": True}),
    ):
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    (folder / "staging").mkdir()
    before = sorted(folder.rglob("*"))
    works: tuple[Callable[[], object], ...] = (
        lambda: Asker(house.settings, Silent()),
        lambda: house.ingest([Triple("a", "b")]),
        lambda: rollback(house.settings, Silent()),
        lambda: compact(house.settings, Silent()),
        lambda: prune(house.settings, Silent(), keep=1),
        lambda: check(house.settings, Silent()),
        lambda: repair(house.settings, Silent()),
        lambda: export_warehouse(house.layout, tmp_path / "out", Silent()),
    )
    for work in works:
        with pytest.raises(Unavailable, match="Install a newer provhouse"):
            work()
    assert [path for path in sorted(folder.rglob("*")) if path.name != "write.lock"] == [
        path for path in before if path.name != "write.lock"
    ]


@pytest.mark.long
def test_a_backup_made_during_an_ingest_is_restored(
    kept: House, files: Path, tmp_path: Path
) -> None:
    """A backup is made during an ingest, in the order that docs/backup.md prescribes.

    The backup has the ingest's names, but lacks a table's file that the table's log lists.
    """
    house, backup = House(kept.settings, kept.session), tmp_path / "warehouse"
    backup.mkdir()
    shutil.copytree(house.layout.commits, backup / "commits")
    shutil.copy(house.layout.identity, backup)
    before = {path for path in house.layout.root.rglob("*") if path.is_file()}
    new = [Triple("mid/1", "new/1", "later"), Triple("new/1", "new/2", "later")]
    house.ingest(new)
    for folder in house.layout.root.glob("base-*"):
        shutil.copytree(folder, backup / folder.name)
    for path in (house.layout.base(2) / "triples").glob("*.parquet"):
        if path not in before:
            (backup / "base-2" / "triples" / path.name).unlink()
    shutil.copy(house.layout.ids, backup)
    rollback(house.settings, Silent())

    address = house.address
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        driver.execute_query(
            "MATCH (n {warehouse: $w}) DETACH DELETE n", w=house.layout.warehouse_id()
        )
    restored = House(replace(house.settings, warehouse=backup), house.session)
    repair(restored.settings, Silent())
    assert check(restored.settings, Silent(), deep=True).damages == ()
    assert generations(restored.layout) == [1, 2, 3, 4, 5]
    assert_answers(restored, rows(files, "first", "second"))
    assert_answers(restored, rows(files, "first", "third"), 2)
    restored.ingest(new)
    assert_answers(restored, [*rows(files, "first", "second"), *map(Row, new)])
    repair(house.settings, Silent())
