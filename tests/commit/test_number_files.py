"""A file keeps its number, and no number is ever assigned to a second file."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.prune import prune
from provhouse.care.rollback import rollback
from provhouse.commit.number_files import number_files
from provhouse.model.errors import Damaged
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.tables import registry
from provhouse.store.tables.file_table import read_files
from provhouse.store.warehouse.ids import Ids, read_ids
from provhouse.store.warehouse.layout import Layout

Houses = Callable[..., House]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(warehouse=tmp_path / "warehouse")


def numbered(settings: Settings, *paths: str) -> list[int]:
    numbers: list[int] = number_files(paths, settings, Silent()).tolist()
    return numbers


def test_files_are_numbered_as_a_dictionary_would(settings: Settings) -> None:
    random, known = Random(3), dict[str, int]()
    for _ in range(12):
        paths = [f"/data/{random.randrange(60)}" for _ in range(random.randrange(15))]
        for path in paths:
            known.setdefault(path, len(known) + 1)
        assert numbered(settings, *paths) == [known[path] for path in paths]
    rows = read_files(Layout(settings.warehouse)).to_pylist()
    assert {row["path"]: row["number"] for row in rows} == known


def test_one_file_has_one_number_however_it_is_written(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    local = str(tmp_path / "a b")
    spellings = ["a b", local, f"file://{tmp_path}/a%20b", f"file:{tmp_path}/a%20b", "x/../a b"]
    assert numbered(settings, *spellings, "s3a://bucket/a%20b") == [1, 1, 1, 1, 1, 2]


def test_numbers_of_an_interrupted_writer_are_not_given_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer is killed before, during or after it writes the file of new numbers."""
    assert numbered(settings, "/a", "/b") == [1, 2]

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for step in ("make_folder", "sync_file", "publish"):
        with monkeypatch.context() as patch:
            patch.setattr(registry, step, die)
            with pytest.raises(KeyboardInterrupt):
                numbered(settings, "/c")
    assert numbered(settings, "/c", "/a") == [6, 1]


def test_a_lost_record_of_ids_gives_no_number_twice(settings: Settings) -> None:
    numbered(settings, "/a", "/b")
    Layout(settings.warehouse).ids.unlink()
    assert numbered(settings, "/c") == [3]


def test_a_damaged_table_is_reported(settings: Settings) -> None:
    numbered(settings, "/a")
    registry._rows.clear()
    (file,) = Layout(settings.warehouse).registered("files").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(Damaged, match="Cannot read the table of files"):
        numbered(settings, "/b")


@pytest.mark.long
def test_changes_of_the_warehouse_keep_the_numbers(houses: Houses) -> None:
    """The changes are an ingest, a rollback, a compaction and a prune.

    ``ids.json`` has no entry for file numbers while no file has a number.
    """
    house = houses()
    house.ingest([Triple("a", "b")])
    assert '"file"' not in house.layout.ids.read_text()
    assert read_ids(house.layout).file == Ids().file
    assert numbered(house.settings, "/a", "/b") == [1, 2]
    house.ingest([Triple("b", "c")])
    rollback(house.settings, Silent())
    compact(house.settings, Silent())
    prune(house.settings, Silent(), keep=1)
    house.ingest([Triple("b", "d")])
    assert numbered(house.settings, "/c", "/b") == [3, 2]
    house.check_deep()
